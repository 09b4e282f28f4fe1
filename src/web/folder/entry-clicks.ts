import type { ChangeEvent, DragEvent, MouseEvent } from 'react';

/** What a row or a tile tells of. `index` is its place among the rows. */
export type RowEvents = {
  readonly onOpen: (index: number) => void;
  /** A second click right after the one that opened a row. */
  readonly onOpenAgain: () => void;
  readonly onToggle: (index: number) => void;
  readonly onStretch: (index: number) => void;
  readonly onMenu: (index: number, point: { x: number; y: number }) => void;
  readonly onDrag: (index: number, event: DragEvent) => void;
};

/** What clicks on a row or a tile mean. */
export function entryClicks(index: number, { onOpen, onOpenAgain, onToggle, onStretch, onMenu }: RowEvents) {
  return {
    click: (event: MouseEvent): void => {
      if (event.target instanceof Element && event.target.closest('input, button, label') !== null) return;
      if (event.target instanceof Element && event.target.closest('a') !== null && (event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (event.shiftKey) onStretch(index);
      else if (event.ctrlKey || event.metaKey) onToggle(index);
      else if (event.detail === 2) onOpenAgain();
      else onOpen(index);
    },
    check: ({ nativeEvent }: ChangeEvent): void => ((nativeEvent as globalThis.MouseEvent).shiftKey ? onStretch(index) : onToggle(index)),
    /** Not every browser passes a click with Shift on a label on to its box. */
    stretchFromLabel: (event: MouseEvent): void => {
      if (!event.shiftKey || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      onStretch(index);
    },
    menuAtPointer: (event: MouseEvent): void => {
      event.preventDefault();
      event.stopPropagation();
      onMenu(index, { x: event.clientX, y: event.clientY });
    },
    menuAtButton: ({ currentTarget }: MouseEvent): void => {
      const { right, bottom } = currentTarget.getBoundingClientRect();
      onMenu(index, { x: right, y: bottom });
    },
  };
}

/** The row opens what a click on its link means. If the link did so too, Back would have to be pressed twice. */
export function leaveToRow(event: MouseEvent): void {
  if (!event.ctrlKey && !event.metaKey) event.preventDefault();
}
