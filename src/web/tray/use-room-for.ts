import { useEffect, type RefObject } from 'react';

const HEIGHT = '--svc-tray-height';

/** Tells the styles of the page how high a part is that lies above it, so that nothing stays hidden beneath. */
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
