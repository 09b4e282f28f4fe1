import { Group, Kbd, Modal, Table } from '@mantine/core';
import { Fragment } from 'react';

const SHORTCUTS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl', 'K'], 'Search, go to a bucket, a folder or an address, or start an action'],
  [['/'], 'Filter what is listed; with Shift and Enter, search what is below'],
  [['↑', '↓'], 'Move through the rows; with Shift they are selected'],
  [['Enter'], 'Open the folder, or the details of the object; once more, the object on the whole screen'],
  [['←', '→'], 'On the whole screen: the object before, or the next one'],
  [['+', '-', '0'], 'On the whole screen: zoom in, zoom out, fit'],
  [['Space'], 'Select the row'],
  [['Ctrl', 'A'], 'Select everything that is listed'],
  [['Backspace'], 'Go to the folder above'],
  [['F2'], 'Rename the row'],
  [['Delete'], 'Delete what is selected'],
  [['Ctrl', 'X'], 'Cut the row or what is selected: it is moved to where you paste'],
  [['Ctrl', 'C'], 'Copy the row or what is selected'],
  [['Ctrl', 'V'], 'Paste into the open folder'],
  [['Ctrl', 'Z'], 'Undo a move or a new name, while that is offered'],
  [['Escape'], 'Take a cut or a copy back, clear the selection, or close the details'],
  [['Ctrl', 'B'], 'Show or hide the sidebar'],
  [['?'], 'This help'],
];

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
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
