import { useHotkeys } from '@mantine/hooks';
import { letGo } from '../actions/held.ts';
import { useClipboardKeys } from './use-clipboard-keys.ts';

type Options = {
  readonly toGrid: () => void;
  readonly toFilter: () => void;
  readonly onUp: () => void;
  readonly onEscape: () => void;
  /** Cut or copy. @returns whether there was something. */
  readonly onTake: (hotkey: string) => boolean;
  readonly onPaste: (hotkey: string) => boolean;
};

/** The keys of a folder's page that work wherever the focus is. */
export function useFolderKeys({ toGrid, toFilter, onUp, onEscape, onTake, onPaste }: Options): void {
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
  useClipboardKeys({ onTake, onPaste });
}
