import { useHotkeys, useWindowEvent } from '@mantine/hooks';
import { letGo } from '../actions/held.ts';
import { isByKeys } from './menu-point.ts';

type Options = {
  readonly toGrid: () => void;
  readonly toFilter: () => void;
  readonly onUp: () => void;
  readonly onEscape: () => void;
  readonly onMenu: () => void;
  /** Cuts or copies rows. @returns whether there were any. */
  readonly onTake: (hotkey: string) => boolean;
  readonly onPaste: (hotkey: string) => boolean;
};

/** The shortcuts of the folder page that work independently of the focus. */
export function useFolderKeys({ toGrid, toFilter, onUp, onEscape, onMenu, onTake, onPaste }: Options): void {
  /** Whether no element has the focus, for example because the focused button or row has disappeared. */
  const nothingHasFocus = (): boolean => document.activeElement === document.body;
  /** Whether the link that led here, for example the one in the sidebar, still has the focus. */
  const linkHereHasFocus = (): boolean => document.activeElement?.getAttribute('aria-current') === 'page';
  const toRows = (): void => {
    if (nothingHasFocus() || linkHereHasFocus()) toGrid();
  };
  useHotkeys([
    ['ArrowDown', toRows],
    ['ArrowUp', toRows],
    ['Escape', () => (nothingHasFocus() ? onEscape() : letGo())],
    ['/', toFilter],
    ['Backspace', onUp],
    ['alt+ArrowUp', onUp],
  ]);
  useWindowEvent('contextmenu', (event) => {
    if (event.defaultPrevented || !nothingHasFocus() || !isByKeys(event)) return;
    event.preventDefault();
    onMenu();
  });
  useClipboardKeys({ onTake, onPaste });
}

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
