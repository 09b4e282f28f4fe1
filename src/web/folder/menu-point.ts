import type { MouseEvent } from 'react';

/** In pixels from the upper left of the window. */
export type Point = { readonly x: number; readonly y: number };

/** Links and fields keep the menu of the browser. */
const KEEPS_ITS_MENU = 'a, input, textarea';

/** Whether keys asked for a menu (Shift and F10, or the key for menus). Chromium says so by no button, Firefox by no pointer. */
export function isByKeys({ button, pointerType }: { readonly button: number; readonly pointerType?: string }): boolean {
  return pointerType === '' || (pointerType === 'mouse' && button === -1);
}

/** Where the menu of a folder opens for an event that nothing in the folder has taken; undefined where the browser's own is wanted. */
export function menuPointOf(event: MouseEvent<HTMLElement>): Point | undefined {
  const { currentTarget, target, clientX, clientY } = event;
  if (event.defaultPrevented || !(target instanceof Element) || !currentTarget.contains(target)) return undefined;
  if (isByKeys(event.nativeEvent)) return target.matches('input, textarea') ? undefined : pointBelow(target);
  if (target.closest(KEEPS_ITS_MENU) !== null || window.getSelection()?.isCollapsed === false) return undefined;
  return { x: clientX, y: clientY };
}

/** Below what has the focus. */
function pointBelow(element: Element): Point {
  const { left, bottom } = element.getBoundingClientRect();
  return { x: left + 8, y: bottom };
}

/** Where nothing has the focus: in the upper third of the rows. */
export function pointIn(area: Element): Point {
  const { left, top, width, height } = area.getBoundingClientRect();
  return { x: left + width / 3, y: top + height / 3 };
}
