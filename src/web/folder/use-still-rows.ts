import { useLayoutEffect, useRef, type RefObject } from 'react';
import type { Entry } from '../objects/entry.ts';

/** Keeps the visible rows in place when rows that arrive later are inserted above them. */
export function useStillRows(
  gridRef: RefObject<HTMLDivElement | null>,
  rows: readonly Entry[],
  { columns, height }: { readonly columns: number; readonly height: number },
): void {
  const renderedRows = useRef(rows);
  useLayoutEffect(() => {
    const grid = gridRef.current;
    const before = renderedRows.current;
    renderedRows.current = rows;
    if (grid === null || grid.scrollTop === 0 || rows.length <= before.length) return;
    const top = Math.floor(grid.scrollTop / height) * columns;
    const key = before[top]?.key;
    const now = key === undefined || rows[top]?.key === key ? top : rows.findIndex((row) => row.key === key);
    if (now > top) grid.scrollTop += (Math.floor(now / columns) - Math.floor(top / columns)) * height;
  }, [gridRef, rows, columns, height]);
}
