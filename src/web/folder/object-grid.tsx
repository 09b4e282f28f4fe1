import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useLayoutEffect, useRef, type KeyboardEvent, type MouseEvent, type RefObject } from 'react';
import { useLocation } from 'react-router';
import type { Entry } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';
import { GridHead } from './grid-head.tsx';
import { ObjectRow, type RowEvents } from './object-row.tsx';
import classes from './object-grid.module.css';
import type { Sort } from './sort.ts';
import type { Listing } from './use-listing.ts';
import type { RowSelection } from './use-selection.ts';

/** The router's key of the location at which the page was opened. */
const OPENED = 'default';
const HEAD_HEIGHT = 36;
const ROW_HEIGHT = 40;
const NARROW_ROW_HEIGHT = 58;
/** The next page is asked for when this few rows are left below. */
const ROWS_AHEAD = 300;

type Properties = RowEvents & {
  readonly gridRef: RefObject<HTMLDivElement | null>;
  readonly place: Place;
  readonly label: string;
  readonly listing: Listing;
  readonly filtered: boolean;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly selection: RowSelection;
  readonly active: number;
  readonly opened: string | undefined;
  /** Pixels that the grid is scrolled when it comes up. */
  readonly initialScroll: number;
  readonly onScrolled: (pixels: number) => void;
  /** Whether the caller may see that the object is there, and may not open it. */
  readonly isLocked: (entry: Entry) => boolean;
  readonly onKeyDown: (event: KeyboardEvent<HTMLDivElement>, rowsPerPage: number) => void;
};

/**
 * The rows of a folder as an ARIA grid. Only the rows in view are in the document, and the grid itself keeps the focus
 * (`aria-activedescendant` names the current row), so that it never gets lost with a row that is scrolled away.
 */
export function ObjectGrid({ gridRef, place, label, listing, filtered, sort, onSort, selection, active, opened, initialScroll, onScrolled, isLocked, onKeyDown, ...events }: Properties) {
  const { rows, complete, loading, error, loadMore, folders } = listing;
  const id = useId();
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const height = narrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const head = narrow ? 0 : HEAD_HEIGHT;
  // eslint-disable-next-line react-hooks/incompatible-library -- its rows are read during render only
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => gridRef.current,
    estimateSize: () => height,
    overscan: 10,
    initialOffset: initialScroll,
    scrollMargin: head,
    scrollPaddingStart: head,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  useLayoutEffect(() => {
    virtualizer.measure();
  }, [virtualizer, height]);

  const { key } = useLocation();
  useEffect(() => {
    // The row that led here is gone, and the focus with it. A page that was only just opened keeps its focus at the start.
    if (key !== OPENED && document.activeElement === document.body) gridRef.current?.focus({ preventScroll: true });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when the rows come up
  }, []);

  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (!filtered && !complete && !loading && error === null && last >= rows.length - ROWS_AHEAD) loadMore();
  }, [filtered, complete, loading, error, last, rows.length, loadMore]);

  const shownActive = useRef(active);
  useEffect(() => {
    if (active !== shownActive.current && active < rows.length) virtualizer.scrollToIndex(active, { align: 'auto' });
    shownActive.current = active;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a move of the current row scrolls
  }, [active]);
  useEffect(() => {
    onScrolled(gridRef.current?.scrollTop ?? 0);
  }, [onScrolled, gridRef]);

  const shownFolders = useRef(folders);
  useLayoutEffect(() => {
    const grid = gridRef.current;
    const added = folders - shownFolders.current;
    if (grid !== null && added > 0 && shownFolders.current > 0 && grid.scrollTop > shownFolders.current * height) grid.scrollTop += added * height;
    shownFolders.current = folders;
  }, [folders, height, gridRef]);

  const activeRow = items.some(({ index }) => index === active) ? `${id}-${active}` : undefined;
  const openMenuOfActiveRow = (event: MouseEvent<HTMLDivElement>) => {
    if (activeRow === undefined) return;
    event.preventDefault();
    const box = document.getElementById(activeRow)?.getBoundingClientRect();
    if (box !== undefined) events.onMenu(active, { x: box.left + 96, y: box.bottom });
  };
  /** The row that was clicked may be scrolled away, and its checkbox and link with it: the keys go on working where the grid has the focus. */
  const takeFocus = ({ detail }: MouseEvent<HTMLDivElement>) => {
    const isByPointer = detail > 0;
    if (isByPointer) gridRef.current?.focus({ preventScroll: true });
  };
  const rowsPerPage = () => Math.max(1, Math.floor(((gridRef.current?.clientHeight ?? 0) - head) / height) - 1);

  return (
    <div
      ref={gridRef}
      className={classes.grid}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable="true"
      aria-rowcount={complete || filtered ? rows.length + 1 : -1}
      aria-colcount={6}
      aria-busy={listing.pending || undefined}
      aria-activedescendant={activeRow}
      onKeyDown={(event) => onKeyDown(event, rowsPerPage())}
      onScroll={(event) => onScrolled(event.currentTarget.scrollTop)}
      onContextMenu={openMenuOfActiveRow}
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onClick={takeFocus}
    >
      <GridHead sort={sort} onSort={onSort} rows={rows} selection={selection} />
      <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const entry = rows[index];
          if (entry === undefined) return null;
          return (
            <ObjectRow
              key={key}
              id={`${id}-${index}`}
              place={place}
              sort={sort}
              entry={entry}
              index={index}
              top={start - head}
              height={height}
              active={index === active}
              chosen={selection.chosen.has(entry.key)}
              opened={entry.key === opened}
              locked={isLocked(entry)}
              {...events}
            />
          );
        })}
      </div>
    </div>
  );
}
