import { Group } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useStore } from 'zustand';
import { formatBytes } from '../../transfer/byte-size.ts';
import type { Selection } from '../actions/action.ts';
import { held, isCut, letGo } from '../actions/held.ts';
import { offersFor, offersIn, type Offer } from '../actions/offer.ts';
import { actions } from '../actions/registry.ts';
import { useSurroundings } from '../actions/use-surroundings.ts';
import { usePageTitle } from '../brand/page-title.ts';
import { startDrag } from '../dragging/drag-start.ts';
import { formatNumber } from '../format/format.ts';
import { visibleText } from '../names/visible.ts';
import type { Entry } from '../objects/entry.ts';
import { useCommands } from '../palette/commands.ts';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import { useEntryPermissions, useRowActions } from '../permissions/entry-permissions.ts';
import { useFolderPermissions } from '../permissions/use-permissions.ts';
import { baseName, folderOf, parentOf, placeLink, placeName } from '../place/place.ts';
import { places } from '../places/places.ts';
import { searchFrom } from '../place/search-question.ts';
import { DropArea } from '../uploads/drop-area.tsx';
import { Crumbs } from './crumbs.tsx';
import { DetailsPanel } from './details-panel.tsx';
import { FilterBox } from './filter-box.tsx';
import { FolderBody, hasNoBucket } from './folder-body.tsx';
import classes from './folder-page.module.css';
import { LoadedNote } from './loaded-note.tsx';
import { asListed } from './selected.ts';
import { SelectRest } from './select-rest.tsx';
import { RowMenu, type RowMenuState } from './row-menu.tsx';
import { ActionButtons, RefreshButton, SearchButton, SelectionBar, SortMenu, ViewMenu } from './toolbar.tsx';
import { useClipboardKeys } from './use-clipboard-keys.ts';
import { linkInOrder, useFolderUrl } from './use-folder-url.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { useLater } from './use-later.ts';
import { useListing } from './use-listing.ts';
import { useOnceKnown } from './use-once-known.ts';
import { useSelection } from './use-selection.ts';
import { useStay } from './use-stay.ts';
import { canFill, useViewer } from './use-viewer.ts';
import { useView } from './view.ts';

const Viewer = lazyPart(() => import('../viewer/viewer.tsx').then((module) => module.Viewer));
const DraggedRows = lazyPart(() => import('../dragging/dragged-rows.tsx').then((module) => module.DraggedRows));

/** The details follow the current row when it has stood still so long: a key that is held down moves through many. */
const FOLLOW_MS = 150;

/** `/p/:provider/:bucket?prefix=`: what is in a folder, and what may be done there. */
export function FolderPage() {
  const url = useFolderUrl();
  const { place, sort, filter, object, isFull, setSort, setFilter, setObject, setFull } = url;
  const scope = placeLink(place);
  const name = visibleText(placeName(place));
  usePageTitle(`${object === undefined ? '' : `${visibleText(baseName(object))} · `}${name}`);
  const navigate = useNavigate();
  const allowed = useFolderPermissions(place);
  const appliedFilter = useDeferredValue(filter);
  const listing = useListing(place, sort, appliedFilter);
  const { rows } = listing;
  const rowActions = useRowActions(place, listing.pages);
  const { opened, keep } = useStay(scope);
  const [view, setView] = useView();
  const selection = useSelection(scope, opened.chosen);
  const isWhole = listing.complete && appliedFilter === '';
  const chosen = useMemo(() => asListed(selection.chosen, rows, isWhole), [selection.chosen, rows, isWhole]);
  const chosenHere: Selection = { place, entries: chosen, isWhole: isWhole && chosen.length === rows.length };
  const permissions = useEntryPermissions(place, chosen, rowActions);
  const around = useSurroundings(selection.clear);
  const started = (offers: readonly Offer[], key: string): boolean => {
    const offer = offers.find(({ hotkey }) => hotkey === key);
    offer?.run(around);
    return offer !== undefined;
  };
  const startOnRows = useOnceKnown(scope, permissions.pending, ({ hotkey, target }: { hotkey: string; target: Selection }) => started(offersFor(actions.entries, target, permissions), hotkey));
  const startInFolder = useOnceKnown(scope, allowed.pending, (hotkey: string) => started(offersIn(actions.folder, place, allowed), hotkey));
  const [menu, setMenu] = useState<RowMenuState>();
  const waiting = useStore(held);
  const [dragged, setDragged] = useState<Selection>();
  const grid = useRef<HTMLDivElement>(null);
  const filterBox = useRef<HTMLInputElement>(null);

  const later = useLater(FOLLOW_MS);
  /** A second click opens what the first one did, wherever that is by then. */
  const clicked = useRef<Entry>(undefined);
  const open = (entry: Entry, isFurther = false): void => {
    if (entry.kind === 'folder') void navigate(linkInOrder({ ...place, prefix: entry.key }, sort));
    else if (canFill(entry) && (view === 'gallery' || isFurther)) setFull(entry.key);
    else setObject(entry.key);
  };
  /** What an action works on: the selection when the row is part of it, else the row alone. */
  const targetOf = (entry: Entry): Selection => (selection.chosen.has(entry.key) ? chosenHere : { place, entries: [entry] });
  const leave = (): void => {
    if (letGo()) return;
    if (chosen.length > 0) selection.clear();
    else setObject(undefined);
  };
  const keys = useGridKeys({
    scope,
    initial: opened.active,
    rows,
    selection,
    onOpen: (entry) => open(entry, entry.key === object),
    onEscape: leave,
    onMove: (entry) => object !== undefined && entry.kind === 'file' && later(() => setObject(entry.key, true)),
    onOtherKey: (key, entry) => {
      const target = chosen.length === 0 && entry !== undefined ? { place, entries: [entry] } : chosenHere;
      return actions.entries.some(({ hotkey }) => hotkey === key) && startOnRows({ hotkey: key, target });
    },
  });
  useEffect(() => keep({ active: keys.active, chosen: selection.chosen }), [keep, keys.active, selection.chosen]);
  const keepScroll = useCallback((scroll: number) => keep({ scroll }), [keep]);
  const goUp = (): void => {
    const parent = parentOf(place.prefix);
    if (parent !== undefined) void navigate(linkInOrder({ ...place, prefix: parent }, sort));
  };
  const toGrid = (): void => grid.current?.focus({ preventScroll: true });
  const viewer = useViewer({ url, listing, active: keys.active, moveTo: keys.moveTo, onClosed: toGrid });
  /** The button or row that had the focus may be gone. */
  const nothingHasFocus = (): boolean => document.activeElement === document.body;
  useHotkeys([
    ['ArrowDown', () => nothingHasFocus() && toGrid()],
    ['ArrowUp', () => nothingHasFocus() && toGrid()],
    ['Escape', () => (nothingHasFocus() ? leave() : letGo())],
    ['/', () => filterBox.current?.focus()],
    ['Backspace', goUp],
    ['alt+ArrowUp', goUp],
  ]);
  useClipboardKeys({
    onTake: (hotkey) => {
      const entry = rows[keys.active];
      const target = chosen.length > 0 ? chosenHere : entry !== undefined && document.activeElement === grid.current ? { place, entries: [entry] } : undefined;
      return target !== undefined && startOnRows({ hotkey, target });
    },
    onPaste: startInFolder,
  });
  useCommands(
    useMemo(
      () => offersIn(actions.folder, place, allowed).map(({ id, label, icon, run }) => ({ id, label, icon, run: () => run(around) })),
      // eslint-disable-next-line react-hooks/exhaustive-deps -- `allowed` is made anew on each render; what it holds changes with these
      [place, around, allowed.pending, waiting],
    ),
  );

  const missing = hasNoBucket(listing);
  const denied = !allowed.pending && allowed.error === null && !allowed.may('objects:list');
  const inFolder = { ...place, prefix: folderOf(place.prefix) };
  const isThere = !listing.pending && listing.error === null && !allowed.pending && !denied;
  useEffect(() => {
    if (isThere) places.visit({ ...place, prefix: folderOf(place.prefix) });
  }, [isThere, place]);
  const downloadOf = (key: string): (() => void) | undefined => {
    const entry = viewer.files.find((file) => file.key === key);
    const offer = entry && rowActions(entry)?.includes('objects:get') === true ? offersFor(actions.entries, { place, entries: [entry] }, permissions).find(({ id }) => id === 'download') : undefined;
    return offer && (() => offer.run(around));
  };
  const bytes = chosen.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size : 0), 0);
  const at = (index: number, act: (entry: Entry) => void): void => {
    const entry = rows[index];
    keys.moveTo(index);
    if (entry !== undefined) act(entry);
  };

  return (
    <DropArea place={place} enabled={allowed.mayHere('objects:write')}>
      <div className={classes.page}>
        <div className={classes.rows}>
          <header className={classes.head}>
            <Group justify="space-between" gap="xs" className={classes.way}>
              <Crumbs key={scope} place={place} sort={sort} />
              {!missing && <ActionButtons offers={offersIn(actions.folder, place, allowed)} around={around} primary label="More actions on this folder" />}
            </Group>
            {denied || missing ? null : chosen.length > 0 ? (
              <>
                <SelectionBar
                  count={formatNumber(chosen.length)}
                  size={bytes > 0 ? formatBytes(bytes) : undefined}
                  onClear={() => {
                    selection.clear();
                    toGrid();
                  }}
                >
                  <ActionButtons offers={offersFor(actions.entries, chosenHere, permissions)} around={around} small label="More actions on the selection" />
                </SelectionBar>
                <SelectRest key={scope} listing={listing} selection={selection} filtered={appliedFilter !== ''} />
              </>
            ) : (
              <Group gap="xs" className={classes.tools} wrap="nowrap">
                <FilterBox key={scope} initial={filter} onFilter={setFilter} onLeave={() => grid.current?.focus()} onSearch={(text) => void navigate(searchFrom(inFolder, text))} inputRef={filterBox} />
                <SearchButton to={searchFrom(inFolder, filter)} />
                <SortMenu sort={sort} view={view} onSort={setSort} />
                <ViewMenu view={view} onView={setView} />
                <RefreshButton
                  loading={listing.loading && !listing.pending && listing.complete}
                  onRefresh={() => {
                    listing.retry();
                    allowed.retry();
                  }}
                />
                <LoadedNote place={place} listing={listing} filter={filter} sort={sort} onComplete={() => grid.current?.focus({ preventScroll: true })} />
              </Group>
            )}
          </header>
          <FolderBody
            place={place}
            allowed={allowed}
            listing={listing}
            filter={filter}
            onClearFilter={() => setFilter('')}
            grid={{
              gridRef: grid,
              place,
              label: `Contents of ${name}`,
              view,
              listing,
              filtered: filter !== '',
              sort,
              onSort: setSort,
              selection,
              active: keys.active,
              opened: object,
              initialScroll: opened.scroll,
              onScrolled: keepScroll,
              isLocked: (entry) => rowActions(entry)?.includes('objects:get') === false,
              isReadable: (entry) => rowActions(entry)?.includes('objects:get') === true,
              isCut: (entry) => isCut(waiting, place, entry.key),
              onKeyDown: keys.onKeyDown,
              onOpen: (index) =>
                at(index, (entry) => {
                  clicked.current = entry;
                  open(entry);
                }),
              onOpenAgain: () => clicked.current !== undefined && view !== 'gallery' && canFill(clicked.current) && setFull(clicked.current.key),
              onToggle: (index) => at(index, selection.toggle),
              onStretch: keys.stretchTo,
              onDrag: (index, event) => {
                const entry = rows[index];
                if (entry === undefined) return;
                startDrag(event);
                setDragged(targetOf(entry));
              },
              onMenu: (index, point) => at(index, (entry) => setMenu({ selection: targetOf(entry), ...point })),
            }}
          />
        </div>
        {object !== undefined && !isFull && (
          <DetailsPanel
            place={place}
            objectKey={object}
            rows={rows}
            rowActions={rowActions}
            onFull={() => setFull(object)}
            onClose={() => {
              setObject(undefined);
              grid.current?.focus();
            }}
          />
        )}
        <Boundary what="message" about={String(dragged !== undefined)}>
          <Suspense>{dragged !== undefined && <DraggedRows selection={dragged} rowActions={rowActions} around={around} onEnd={setDragged} />}</Suspense>
        </Boundary>
        {object !== undefined && isFull && (
          <Boundary what="panel" about={scope}>
            <Suspense>
              <Viewer
                place={place}
                objectKey={object}
                files={viewer.files}
                onStep={(key) => setFull(key, true)}
                onClose={viewer.close}
                onDetails={() => setObject(object, true)}
                onDownload={downloadOf(object)}
              />
            </Suspense>
          </Boundary>
        )}
        {menu !== undefined && (
          <RowMenu
            state={menu}
            rowActions={rowActions}
            clearSelection={selection.clear}
            onClose={() => {
              setMenu(undefined);
              grid.current?.focus();
            }}
          />
        )}
      </div>
    </DropArea>
  );
}
