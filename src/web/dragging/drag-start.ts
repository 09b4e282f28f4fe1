import type { DragEvent } from 'react';

/** Whether rows can be dragged. On touch screens a drag scrolls, and the menus offer the same actions. */
export const CAN_DRAG = window.matchMedia('(hover: hover) and (pointer: fine)').matches;

/** Starts to drag rows. The selection is kept in the page; the data transfer only has an empty value, because browsers require one. */
export function startDrag({ dataTransfer }: DragEvent): void {
  dataTransfer.setData('application/x-svc-rows', '');
  dataTransfer.effectAllowed = 'copyMove';
  // The note at the pointer shows what is dragged. An image of the whole row would cover the target.
  dataTransfer.setDragImage(document.createElement('canvas'), 0, 0);
}
