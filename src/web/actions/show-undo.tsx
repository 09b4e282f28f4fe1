import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowBackUp } from '@tabler/icons-react';
import { t } from '../words/words.ts';

const MESSAGE = 'undo';
/** The time needed to read the message, look at the folder and find the button. */
export const OFFERED_MS = 15_000;

/** Shows a message with the button *Undo*, which Ctrl and Z press too while it is shown. It replaces the last such message. */
export function showUndo(what: string, go: () => void): void {
  notifications.hide(MESSAGE);
  const undo = (): void => {
    notifications.hide(MESSAGE);
    go();
  };
  const byKey = (event: KeyboardEvent): void => {
    const isTyping =
      event.target instanceof HTMLElement &&
      event.target.matches('input:not([type=checkbox]), textarea, [contenteditable=true]');
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || isTyping) return;
    event.preventDefault();
    undo();
  };
  document.addEventListener('keydown', byKey);
  notifications.show({
    id: MESSAGE,
    title: what,
    message: (
      <Button
        size="compact-sm"
        variant="light"
        mt={4}
        leftSection={<IconArrowBackUp size={16} />}
        onClick={undo}
        aria-keyshortcuts="Control+Z"
      >
        {t('Undo')}
      </Button>
    ),
    autoClose: OFFERED_MS,
    onClose: () => document.removeEventListener('keydown', byKey),
  });
}
