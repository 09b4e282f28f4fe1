import { useImperativeHandle, type Ref } from 'react';

/** Stands for an element of the page where the library expects the element that a menu opens beside. */
export function Anchor({ element, ref }: { element: HTMLElement; ref?: Ref<HTMLElement> }): null {
  useImperativeHandle(ref, () => element, [element]);
  return null;
}
