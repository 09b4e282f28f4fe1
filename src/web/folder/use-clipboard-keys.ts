import { useHotkeys } from '@mantine/hooks';

/** Starts what a key means. @returns whether there was something. */
type Start = (hotkey: string) => boolean;

/** Cut, copy and paste of rows by their usual keys. Text that is selected is copied as ever, and dialogs and text fields keep their keys. */
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
