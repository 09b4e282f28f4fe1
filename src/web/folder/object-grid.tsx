import { useVirtualizer } from '@tanstack/react-virtual';
import {
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
} from 'react';
import { useLocation } from 'react-router';
import { idOf, type Entry } from '../objects/entry.ts';
import type { Place } from '../place/place.ts';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import { GridHead } from './grid-head.tsx';
import { isByKeys } from './menu-point.ts';
import type { RowEvents } from './entry-clicks.ts';
import { ObjectRow } from './object-row.tsx';
import classes from './object-grid.module.css';
import type { Sort } from './sort.ts';
import type { GridShape } from './use-grid-keys.ts';
import type { Listing } from './use-listing.ts';
import { useNarrow } from './use-narrow.ts';
import type { RowSelection } from './use-selection.ts';
import { useStillRows } from './use-still-rows.ts';
import { useTiles } from './use-tiles.ts';
import type { View } from './view.ts';

/** The router's key for the location at which the page was opened. */
const OPENED = 'default';
const HEAD_HEIGHT = 36;
const ROW_HEIGHTS = {
  wide: { list: 40, compact: 32, found: 52 },
  narrow: { list: 58, compact: 44, found: 58 },
} as const;

const GalleryLine = lazyPart(() => import('./gallery-line.tsx').then((module) => module.GalleryLine));

/** The next page of the listing is loaded when fewer than this number of rows are left below. */
const ROWS_AHEAD = 300;

type Properties = RowEvents & {
  readonly gridRef: RefObject<HTMLDivElement | null>;
  readonly place: Place;
  readonly label: string;
  /** `found`: the rows that a search found, each with its folder. */
  readonly view: View | 'found';
  readonly listing: Pick<Listing, 'rows' | 'complete' | 'pending' | 'loading' | 'error' | 'loadMore'>;
  readonly filtered: boolean;
  /** Undefined for the order in which a search found the rows. */
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
  readonly selection: RowSelection;
  readonly active: number;
  readonly opened: string | undefined;
  /** The scroll position in pixels when the grid is first shown. */
  readonly initialScroll: number;
  readonly onScrolled: (pixels: number) => void;
  /** Whether the user may list the object but not read it. */
  readonly isLocked: (entry: Entry) => boolean;
  /** Whether the user may read the object; false while this is unknown. */
  readonly isReadable: (entry: Entry) => boolean;
  /** Whether the row has just come, or changed, without an action of the user. */
  readonly isNew: (entry: Entry) => boolean;
  /** Whether the row was cut and waits to be pasted. */
  readonly isCut: (entry: Entry) => boolean;
  /** What a search looked for. */
  readonly marked?: string;
  readonly onKeyDown: (event: KeyboardEvent<HTMLDivElement>, shape: GridShape) => void;
};

/**
 * The rows of a folder as an ARIA grid. Only the visible rows are in the document. The grid itself has the focus, and `aria-activedescendant` names the
 * current row, so that the focus is not lost when a row is scrolled out of view.
 */
export function ObjectGrid({
  gridRef,
  place,
  label,
  view,
  listing,
  filtered,
  sort,
  onSort,
  selection,
  active,
  opened,
  initialScroll,
  onScrolled,
  isLocked,
  isReadable,
  isNew,
  isCut,
  marked,
  onKeyDown,
  ...events
}: Properties) {
  const { rows, complete, loading, error, loadMore } = listing;
  const id = useId();
  const narrow = useNarrow();
  const isGallery = view === 'gallery';
  const tiles = useTiles(gridRef, isGallery);
  const { columns } = tiles;
  const height = isGallery ? tiles.height : ROW_HEIGHTS[narrow ? 'narrow' : 'wide'][view];
  const head = narrow || isGallery ? 0 : HEAD_HEIGHT;
  const virtualizer = useVirtualizer({
    count: Math.ceil(rows.length / columns),
    getScrollElement: () => gridRef.current,
    estimateSize: () => height,
    overscan: isGallery ? 2 : 10,
    initialOffset: initialScroll,
    scrollMargin: head,
    scrollPaddingStart: head,
    getItemKey: (line) => (rows[line * columns] === undefined ? line : idOf(rows[line * columns]!)),
  });
  useLayoutEffect(() => {
    virtualizer.measure();
  }, [virtualizer, height, columns]);

  const { key } = useLocation();
  useEffect(() => {
    // The row that the user opened has disappeared together with the focus. A freshly loaded page keeps the focus at its start.
    if (key !== OPENED && document.activeElement === document.body) gridRef.current?.focus({ preventScroll: true });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it runs once, when the grid is first shown
  }, []);

  /** Whether further rows will appear above the loaded ones. Storage lists names from A, so this is the case for names from Z to A. */
  const comesAbove = sort?.column === 'name' && sort.descending;
  const items = virtualizer.getVirtualItems();
  const last = ((items.at(-1)?.index ?? -1) + 1) * columns - 1;
  useEffect(() => {
    if (
      !filtered &&
      !complete &&
      !loading &&
      error === null &&
      (comesAbove ? rows.length < ROWS_AHEAD : last >= rows.length - ROWS_AHEAD)
    )
      loadMore();
  }, [filtered, complete, loading, error, comesAbove, last, rows.length, loadMore]);

  const activeKey = rows[active] && idOf(rows[active]);
  const renderedActiveKey = useRef(activeKey);
  useEffect(() => {
    if (activeKey !== renderedActiveKey.current && activeKey !== undefined)
      virtualizer.scrollToIndex(Math.floor(active / columns), { align: 'auto' });
    renderedActiveKey.current = activeKey;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a change of the current row scrolls
  }, [activeKey]);
  useEffect(() => {
    onScrolled(gridRef.current?.scrollTop ?? 0);
  }, [onScrolled, gridRef]);
  useStillRows(gridRef, rows, { columns, height });

  const activeRow = items.some(({ index }) => index === Math.floor(active / columns)) ? `${id}-${active}` : undefined;
  const openMenuOfActiveRow = (event: MouseEvent<HTMLDivElement>) => {
    if (activeRow === undefined || !isByKeys(event.nativeEvent)) return;
    event.preventDefault();
    const box = document.getElementById(activeRow)?.getBoundingClientRect();
    if (box !== undefined) events.onMenu(active, { x: box.left + 96, y: box.top, height: box.height });
  };
  /** Moves the focus from the clicked row to the grid, so that the keys still work after the row is scrolled out of view. */
  const takeFocus = ({ detail }: MouseEvent<HTMLDivElement>) => {
    const isByPointer = detail > 0;
    if (isByPointer) gridRef.current?.focus({ preventScroll: true });
  };
  const linesPerPage = () => Math.max(1, Math.floor(((gridRef.current?.clientHeight ?? 0) - head) / height) - 1);
  const entryProperties = (entry: Entry, index: number) => ({
    id: `${id}-${index}`,
    place,
    sort,
    entry,
    index,
    active: index === active,
    chosen: selection.chosen.has(idOf(entry)),
    opened: entry.key === opened,
    locked: isLocked(entry),
    fresh: isNew(entry),
    cut: isCut(entry),
  });

  return (
    <div
      ref={gridRef}
      className={classes.grid}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable="true"
      aria-rowcount={complete || filtered ? (isGallery ? Math.ceil(rows.length / columns) : rows.length + 1) : -1}
      aria-colcount={isGallery ? columns : 6}
      data-view={view}
      aria-busy={listing.pending || undefined}
      aria-activedescendant={activeRow}
      onKeyDown={(event) => onKeyDown(event, { columns, lines: linesPerPage() })}
      onScroll={(event) => onScrolled(event.currentTarget.scrollTop)}
      onContextMenu={openMenuOfActiveRow}
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onClick={takeFocus}
    >
      {!isGallery && <GridHead sort={sort} onSort={onSort} rows={rows} selection={selection} />}
      <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
        {isGallery ? (
          <Boundary what="panel">
            <Suspense>
              {items.map(({ index: line, start, key: lineKey }) => (
                <GalleryLine
                  key={lineKey}
                  line={line}
                  top={start}
                  tiles={tiles}
                  entries={rows.slice(line * columns, (line + 1) * columns).map((entry, column) => ({
                    ...entryProperties(entry, line * columns + column),
                    readable: isReadable(entry),
                  }))}
                  events={events}
                />
              ))}
            </Suspense>
          </Boundary>
        ) : (
          items.map(({ index, start, key: rowKey }) => {
            const entry = rows[index];
            return (
              entry !== undefined && (
                <ObjectRow
                  key={rowKey}
                  {...entryProperties(entry, index)}
                  marked={marked}
                  top={start - head}
                  height={height}
                  {...events}
                />
              )
            );
          })
        )}
      </div>
    </div>
  );
}
