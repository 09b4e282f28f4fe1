import { Alert, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { formatNumber } from '../format/format.ts';
import { inSentence } from '../names/visible.ts';
import type { Selection } from './action.ts';
import { DialogForm, openDialog } from './dialog.tsx';

const NAMED = 3;

/** Says beforehand which of the chosen rows an action is not allowed on, and that the rest goes on without them. */
export function LeftOut({ entries, leftOut = [] }: Selection) {
  if (leftOut.length === 0) return null;
  const names = leftOut.slice(0, NAMED).map(({ name }) => `“${inSentence(name)}”`).join(', ');
  const more = leftOut.length > NAMED ? ` and ${formatNumber(leftOut.length - NAMED)} more` : '';
  return (
    <Alert color="orange" icon={<IconLock size={18} />}>
      <Text fw={600} size="sm">
        {formatNumber(leftOut.length)} of {formatNumber(entries.length + leftOut.length)} {leftOut.length === 1 ? 'is' : 'are'} not allowed
      </Text>
      You may not do this with {names}
      {more}. {leftOut.length === 1 ? 'It is' : 'They are'} left out.
    </Alert>
  );
}

/** Asks before an action that has no dialog of its own, when it is not allowed on all that was chosen. */
export function askAboutLeftOut(selection: Selection, label: string, go: () => Promise<void>): void {
  if ((selection.leftOut ?? []).length === 0) {
    void go();
    return;
  }
  const many = selection.entries.length;
  openDialog(label, (close) => (
    <DialogForm submitLabel={many === 1 ? 'Continue with the other' : `Continue with the other ${formatNumber(many)}`} close={close} submit={async () => void go()}>
      <LeftOut {...selection} />
    </DialogForm>
  ));
}
