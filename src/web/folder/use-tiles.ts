import { useLayoutEffect, useState, type RefObject } from 'react';

/** The layout of the gallery. A tile is a picture with a name below it; its width is in pixels. */
export type Tiles = {
  readonly columns: number;
  readonly width: number;
  /** The height of a line of tiles with the gap below it, in pixels. */ readonly height: number;
};

const LEAST_WIDTH = 168;
const NARROW_LEAST_WIDTH = 104;
const NARROW = 480;
export const GAP = 12;
export const NAME_HEIGHT = 40;
const ONE: Tiles = { columns: 1, width: LEAST_WIDTH, height: LEAST_WIDTH };

/** The number and the size of the tiles that fit into the width of the grid. */
export function useTiles(grid: RefObject<HTMLDivElement | null>, enabled: boolean): Tiles {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = grid.current;
    if (!enabled || element === null) return undefined;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [grid, enabled]);
  return enabled && width > 0 ? tilesIn(width) : ONE;
}

function tilesIn(width: number): Tiles {
  const least = width < NARROW ? NARROW_LEAST_WIDTH : LEAST_WIDTH;
  const columns = Math.max(1, Math.floor((width - GAP) / (least + GAP)));
  const tile = Math.floor((width - GAP * (columns + 1)) / columns);
  return { columns, width: tile, height: Math.round(tile * 0.75) + NAME_HEIGHT + GAP };
}
