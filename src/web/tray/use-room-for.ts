import { useEffect, type RefObject } from 'react';

const HEIGHT = '--svc-tray-height';

/** Stores the height of an element that covers the page in a CSS variable, so that the page can leave room for it. */
export function useRoomFor(part: RefObject<HTMLElement | null>, isShown: boolean): void {
  useEffect(() => {
    const { current } = part;
    if (!isShown || current === null) return;
    const { style } = document.documentElement;
    const sizes = new ResizeObserver(() => style.setProperty(HEIGHT, `${current.offsetHeight}px`));
    sizes.observe(current);
    return () => {
      sizes.disconnect();
      style.removeProperty(HEIGHT);
    };
  }, [part, isShown]);
}
