import type { MouseEvent } from 'react';

/** Where a menu opens, in pixels from the upper left corner of the window: below `y` and `height`, or above `y` if there is no room below. */
export type Point = { readonly x: number; readonly y: number; readonly height?: number };

/** The elements that keep the browser's own context menu. */
const KEEPS_ITS_MENU = 'a, input, textarea';

/** Whether the keyboard opened the menu (Shift and F10, or the menu key). Chromium then reports the button -1, Firefox an empty pointer type. */
export function isByKeys({ button, pointerType }: { readonly button: number; readonly pointerType?: string }): boolean {
  return pointerType === '' || (pointerType === 'mouse' && button === -1);
}

/** The position of the folder's menu for a `contextmenu` event, or undefined if the event is handled already or the browser's own menu is better. */
export function menuPointOf(event: MouseEvent<HTMLElement>): Point | undefined {
  const { currentTarget, target, clientX, clientY } = event;
  if (event.defaultPrevented || !(target instanceof Element) || !currentTarget.contains(target)) return undefined;
  if (isByKeys(event.nativeEvent)) return target.matches('input, textarea') ? undefined : pointBeside(target);
  if (target.closest(KEEPS_ITS_MENU) !== null || window.getSelection()?.isCollapsed === false) return undefined;
  return { x: clientX, y: clientY };
}

function pointBeside(element: Element): Point {
  const { left, top, height } = element.getBoundingClientRect();
  return { x: left + 8, y: top, height };
}

/** The position of a menu if no element has the focus: a third from the left and the top of the area. */
export function pointIn(area: Element): Point {
  const { left, top, width, height } = area.getBoundingClientRect();
  return { x: left + width / 3, y: top + height / 3 };
}
