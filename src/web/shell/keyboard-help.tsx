import { Group, Kbd, Modal, Table } from '@mantine/core';
import { Fragment } from 'react';
import { t } from '../words/words.ts';

const SHORTCUTS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[t('Ctrl'), 'K'], t('Search, go to a bucket, a folder or an address, or start an action')],
  [['/'], t('Filter what is listed; with Shift and Enter, search what is below')],
  [['↑', '↓'], t('Move through the rows; with Shift they are selected')],
  [[t('Enter')], t('Open the folder, or the details of the object; once more, the object on the whole screen')],
  [['←', '→'], t('On the whole screen: the object before, or the next one')],
  [['+', '-', '0'], t('On the whole screen: zoom in, zoom out, fit')],
  [[t('Space')], t('Select the row')],
  [[t('Ctrl'), 'A'], t('Select everything that is listed')],
  [[t('Shift'), 'F10'], t('The menu of the row, or of the folder where no row has the focus')],
  [[t('Backspace')], t('Go to the folder above')],
  [['F2'], t('Rename the row')],
  [[t('Del')], t('Delete what is selected')],
  [[t('Ctrl'), 'X'], t('Cut the row or what is selected: it is moved to where you paste')],
  [[t('Ctrl'), 'C'], t('Copy the row or what is selected')],
  [[t('Ctrl'), 'V'], t('Paste into the open folder')],
  [[t('Ctrl'), 'Z'], t('Undo a move or a new name, while that is offered')],
  [[t('Escape')], t('Take a cut or a copy back, clear the selection, or close the details')],
  [[t('Ctrl'), 'B'], t('Show or hide the sidebar')],
  [['?'], t('This help')],
];

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t('Keyboard shortcuts')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Table verticalSpacing={6}>
        <Table.Tbody>
          {SHORTCUTS.map(([keys, what]) => (
            <Table.Tr key={what}>
              <Table.Th scope="row" fw={400}>
                <Group gap={4} wrap="nowrap">
                  {keys.map((key) => (
                    <Fragment key={key}>
                      <Kbd>{key}</Kbd>
                    </Fragment>
                  ))}
                </Group>
              </Table.Th>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
