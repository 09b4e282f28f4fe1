import type { ChangeEvent, DragEvent, MouseEvent } from 'react';
import type { Point } from './menu-point.ts';

/** The events of a row or a tile. `index` is its position in the list of rows. */
export type RowEvents = {
  readonly onOpen: (index: number) => void;
  /** Called for the second click of a double click. The first one has opened the row. */
  readonly onOpenAgain: () => void;
  readonly onToggle: (index: number) => void;
  readonly onStretch: (index: number) => void;
  readonly onMenu: (index: number, point: Point) => void;
  readonly onDrag: (index: number, event: DragEvent) => void;
};

/** The click handlers of a row or a tile. */
export function entryClicks(index: number, { onOpen, onOpenAgain, onToggle, onStretch, onMenu }: RowEvents) {
  return {
    click: (event: MouseEvent): void => {
      if (event.target instanceof Element && event.target.closest('input, button, label') !== null) return;
      if (event.target instanceof Element && event.target.closest('a') !== null && (event.ctrlKey || event.metaKey))
        return;
      event.preventDefault();
      if (event.shiftKey) onStretch(index);
      else if (event.ctrlKey || event.metaKey) onToggle(index);
      else if (event.detail === 2) onOpenAgain();
      else onOpen(index);
    },
    check: ({ nativeEvent }: ChangeEvent): void =>
      (nativeEvent as globalThis.MouseEvent).shiftKey ? onStretch(index) : onToggle(index),
    /** Handles Shift and click on the label of the checkbox, because some browsers do not pass it on to the checkbox. */
    stretchFromLabel: (event: MouseEvent): void => {
      if (!event.shiftKey || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      onStretch(index);
    },
    /** A long press with a finger selects; the menu has a button. */
    menuAtPointer: (event: MouseEvent): void => {
      event.preventDefault();
      event.stopPropagation();
      if (isTouch(event)) onToggle(index);
      else onMenu(index, { x: event.clientX, y: event.clientY });
    },
    menuAtButton: ({ currentTarget }: MouseEvent): void => {
      // The row becomes the current one, which is scrolled into view; the menu is placed where the row is then.
      currentTarget.closest('[role=row]')?.scrollIntoView({ block: 'nearest' });
      const { right, top, height } = currentTarget.getBoundingClientRect();
      onMenu(index, { x: right, y: top, height });
    },
  };
}

function isTouch({ nativeEvent }: MouseEvent): boolean {
  return nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch';
}

/** Stops the link from navigating, because the click handler of the row does it. Otherwise the history would get two entries. */
export function leaveToRow(event: MouseEvent): void {
  if (!event.ctrlKey && !event.metaKey) event.preventDefault();
}
