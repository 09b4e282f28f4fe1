import { useHotkeys } from '@mantine/hooks';

/** Starts the action of a shortcut. @returns whether there is one. */
type Start = (hotkey: string) => boolean;

/** Handles the shortcuts for cutting, copying and pasting rows. Selected text is copied as usual, and dialogs and text fields keep these shortcuts. */
export function useClipboardKeys({ onTake, onPaste }: { readonly onTake: Start; readonly onPaste: Start }): void {
  const on = (hotkey: string, start: Start): [string, (event: KeyboardEvent) => void, { preventDefault: boolean }] => [
    hotkey,
    (event) => {
      if (!document.activeElement?.closest('#overlays') && start(hotkey)) event.preventDefault();
    },
    { preventDefault: false },
  ];
  const take: Start = (hotkey) => window.getSelection()?.isCollapsed !== false && onTake(hotkey);
  useHotkeys([on('mod+X', take), on('mod+C', take), on('mod+V', onPaste)]);
}
