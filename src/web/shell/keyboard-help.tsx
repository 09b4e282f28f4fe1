import { Group, Kbd, Modal, Table } from '@mantine/core';
import { Fragment, useState } from 'react';
import { t } from '../words/words.ts';

const SHORTCUTS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[t('Ctrl'), 'K'], t('Search, go to a bucket, a folder or an address, or start an action')],
  [['/'], t('Filter the rows; with Shift and Enter, search the subfolders too')],
  [['↑', '↓'], t('Move through the rows; with Shift, select them')],
  [[t('Enter')], t('Open the folder or the details of the file; press again for full screen')],
  [['←', '→'], t('In full screen: previous or next file')],
  [['+', '-', '0'], t('In full screen: zoom in, zoom out, fit to the screen')],
  [[t('Space')], t('Select the row')],
  [[t('Ctrl'), 'A'], t('Select all rows')],
  [[t('Shift'), 'F10'], t('Open the menu of the row, or of the folder if no row has the focus')],
  [[t('A to Z')], t('Go to the row whose name begins with what you type')],
  [[t('Backspace')], t('Go to the parent folder')],
  [['F2'], t('Rename the row')],
  [[t('Del')], t('Delete the row or the selection')],
  [['R'], t('Restore the deleted row or the deleted rows of the selection')],
  [[t('Ctrl'), 'X'], t('Cut the row or the selection, to move it to another folder')],
  [[t('Ctrl'), 'C'], t('Copy the row or the selection')],
  [[t('Ctrl'), 'V'], t('Paste into the open folder, also a picture from the clipboard')],
  [[t('Ctrl'), 'Z'], t('Undo the last move, rename or deletion, while this is offered')],
  [[t('Escape')], t('Cancel a cut or copy, clear the selection, or close the details')],
  [[t('Ctrl'), 'B'], t('Show or hide the sidebar')],
  [['?'], t('Show this help')],
];

/** @param onClose - called when it is closed. The focus then goes back to where it was: the page has this dialog only while it is open, so it cannot do so itself. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const [before] = useState(() => document.activeElement);
  return (
    <Modal
      opened
      onClose={() => {
        onClose();
        if (before instanceof HTMLElement) requestAnimationFrame(() => before.focus());
      }}
      size="lg"
      title={t('Keyboard shortcuts')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
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
