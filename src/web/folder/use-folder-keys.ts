import { useHotkeys, useWindowEvent } from '@mantine/hooks';
import { letGo } from '../actions/held.ts';
import { isByKeys } from './menu-point.ts';
import { useClipboardKeys } from './use-clipboard-keys.ts';

type Options = {
  readonly toGrid: () => void;
  readonly toFilter: () => void;
  readonly onUp: () => void;
  readonly onEscape: () => void;
  readonly onMenu: () => void;
  /** Cut or copy. @returns whether there was something. */
  readonly onTake: (hotkey: string) => boolean;
  readonly onPaste: (hotkey: string) => boolean;
};

/** The keys of a folder's page that work wherever the focus is. */
export function useFolderKeys({ toGrid, toFilter, onUp, onEscape, onMenu, onTake, onPaste }: Options): void {
  /** The button or row that had the focus may be gone. */
  const nothingHasFocus = (): boolean => document.activeElement === document.body;
  useHotkeys([
    ['ArrowDown', () => nothingHasFocus() && toGrid()],
    ['ArrowUp', () => nothingHasFocus() && toGrid()],
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
