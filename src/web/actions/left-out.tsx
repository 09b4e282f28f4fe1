import { Alert, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { inSentence } from '../names/visible.ts';
import { plural, t } from '../words/words.ts';
import type { Selection } from './action.ts';
import { DialogForm, openDialog } from './dialog.tsx';

const NAMED = 3;

/** Warns about the selected rows on which an action is not allowed. */
export function LeftOut({ entries, leftOut = [] }: Selection) {
  if (leftOut.length === 0) return null;
  const some = leftOut
    .slice(0, NAMED)
    .map(({ name }) => t('“{name}”', { name: inSentence(name) }))
    .join(', ');
  const names =
    leftOut.length > NAMED ? t('{names} and {count} more', { names: some, count: leftOut.length - NAMED }) : some;
  return (
    <Alert color="orange" icon={<IconLock size={18} />}>
      <Text fw={600} size="sm">
        {plural(leftOut.length, '{count} of {all} is not allowed', '{count} of {all} are not allowed', {
          all: entries.length + leftOut.length,
        })}
      </Text>
      {plural(
        leftOut.length,
        'You may not do this with {names}. It is left out.',
        'You may not do this with {names}. They are left out.',
        { names },
      )}
    </Alert>
  );
}

/** Asks for confirmation before an action without its own dialog, if the action is not allowed on all selected rows. */
export function askAboutLeftOut(selection: Selection, label: string, go: () => Promise<void>): void {
  if ((selection.leftOut ?? []).length === 0) {
    void go();
    return;
  }
  const many = selection.entries.length;
  openDialog(label, (close) => (
    <DialogForm
      submitLabel={plural(many, 'Continue with the other one', 'Continue with the other {count}')}
      close={close}
      submit={async () => void go()}
    >
      <LeftOut {...selection} />
    </DialogForm>
  ));
}
