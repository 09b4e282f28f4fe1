import { useLayoutEffect, useRef, type RefObject } from 'react';
import { idOf, type Entry } from '../objects/entry.ts';

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
    const row = before[top];
    const isStill = row === undefined || (rows[top] !== undefined && idOf(rows[top]) === idOf(row));
    const now = isStill ? top : rows.findIndex((each) => idOf(each) === idOf(row));
    if (now > top) grid.scrollTop += (Math.floor(now / columns) - Math.floor(top / columns)) * height;
  }, [gridRef, rows, columns, height]);
}
