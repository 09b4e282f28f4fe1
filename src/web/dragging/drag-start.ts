import type { DragEvent } from 'react';

/** Where a finger scrolls, nothing is dragged: the menus do the same. */
export const CAN_DRAG = window.matchMedia('(hover: hover) and (pointer: fine)').matches;

/** Begins to drag rows. What is dragged stays in the page; a browser only has to be told that there is something. */
export function startDrag({ dataTransfer }: DragEvent): void {
  dataTransfer.setData('application/x-svc-rows', '');
  dataTransfer.effectAllowed = 'copyMove';
  // The note beside the pointer says what is dragged: a picture of the whole row would cover where it goes.
  dataTransfer.setDragImage(document.createElement('canvas'), 0, 0);
}
