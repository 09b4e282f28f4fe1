import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type MouseEvent } from 'react';
import { useNavigate } from 'react-router';
import { useStore } from 'zustand';
import type { Selection } from '../actions/action.ts';
import { held, isCut, letGo } from '../actions/held.ts';
import { useSurroundings } from '../actions/use-surroundings.ts';
import { usePageTitle } from '../brand/page-title.ts';
import { startDrag } from '../dragging/drag-start.ts';
import { visibleText } from '../names/visible.ts';
import type { Entry } from '../objects/entry.ts';
import { Boundary } from '../parts/boundary.tsx';
import { preloadDialogs } from '../parts/dialogs.tsx';
import { OnDemand } from '../parts/on-demand.tsx';
import { lazyPart } from '../parts/part.ts';
import { useEntryPermissions, useRowActions } from '../permissions/entry-permissions.ts';
import { useFolderPermissions } from '../permissions/use-permissions.ts';
import { baseName, folderOf, parentOf, placeLink, placeName } from '../place/place.ts';
import { places } from '../places/places.ts';
import { DropArea } from '../uploads/drop-area.tsx';
import { t } from '../words/words.ts';
import { FolderBody, hasNoBucket } from './folder-body.tsx';
import { FolderHead } from './folder-head.tsx';
import classes from './folder-page.module.css';
import { FolderViewer } from './folder-viewer.tsx';
import { menuPointOf, pointIn, type Point } from './menu-point.ts';
import { asListed } from './selected.ts';
import { FolderMenu, MenuAt, preloadMenus, RowMenu } from './menu-parts.ts';
import { useCreatedFolder } from './use-created-folder.ts';
import { useDeleted } from './use-deleted.ts';
import { useFolderActions } from './use-folder-actions.ts';
import { useFolderKeys } from './use-folder-keys.ts';
import { linkInOrder, useFolderUrl } from './use-folder-url.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { useLater } from './use-later.ts';
import { useListing } from './use-listing.ts';
import { useSelection } from './use-selection.ts';
import { useStay } from './use-stay.ts';
import { canFill, useViewer } from './use-viewer.ts';
import { useView } from './view.ts';

const DetailsPanel = lazyPart(() => import('./details-panel.tsx').then((module) => module.DetailsPanel));
const DraggedRows = lazyPart(() => import('../dragging/dragged-rows.tsx').then((module) => module.DraggedRows));
const FolderWatch = lazyPart(() => import('./folder-watch.tsx').then((module) => module.FolderWatch));
const NONE: ReadonlySet<string> = new Set();

/** The delay before the details follow the current row, so that a key that is held down does not load the details of every row. */
const FOLLOW_MS = 150;

/**
 * The page of a folder at `/p/:provider/:bucket?prefix=`.
 *
 * It is one file, because it joins hooks and parts of the page that have files of their own: what one part does, others show.
 */
export function FolderPage() {
  const url = useFolderUrl();
  const { place, sort, filter, object, isFull, setSort, setFilter, setObject, setFull } = url;
  const scope = placeLink(place);
  const name = visibleText(placeName(place));
  usePageTitle(`${object === undefined ? '' : `${visibleText(baseName(object))} · `}${name}`);
  const navigate = useNavigate();
  const allowed = useFolderPermissions(place);
  const appliedFilter = useDeferredValue(filter);
  const deleted = useDeleted(place, allowed);
  const listing = useListing(place, sort, appliedFilter, deleted.rows);
  const { rows } = listing;
  const rowActions = useRowActions(place, listing.pages);
  const { opened, keep } = useStay(scope);
  const [view, setView] = useView();
  const selection = useSelection(scope, opened.chosen);
  const isWhole = listing.complete && appliedFilter === '';
  const entries = useMemo(() => asListed(selection.chosen, rows, isWhole), [selection.chosen, rows, isWhole]);
  const chosen: Selection = { place, entries, isWhole: isWhole && entries.length === rows.length };
  const permissions = useEntryPermissions(place, entries, rowActions);
  const actions = useFolderActions({ scope, place, allowed, permissions, around: useSurroundings(selection.clear) });
  /** The open context menu. Without `selection` it is the menu of the folder. */
  const [menu, setMenu] = useState<{ readonly selection?: Selection; readonly point: Point }>();
  const waiting = useStore(held);
  const [newKeys, setNewKeys] = useState(NONE);
  const [dragged, setDragged] = useState<Selection>();
  const area = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const filterBox = useRef<HTMLInputElement>(null);
  const toGrid = (): void => grid.current?.focus({ preventScroll: true });

  const { later, cancel } = useLater(FOLLOW_MS);
  /** Shows the details of an object, or closes them. They do not follow a key from before any more. */
  const show = (key: string | undefined): void => {
    cancel();
    setObject(key);
  };
  /** The row of the last click. A double click opens this row, even if rows have moved in between. */
  const clicked = useRef<Entry>(undefined);
  const open = (entry: Entry, isFurther = false): void => {
    if (entry.kind === 'folder') void navigate(linkInOrder({ ...place, prefix: entry.key }, sort));
    else if (canFill(entry) && (view === 'gallery' || isFurther)) setFull(entry.key);
    else show(entry.key);
  };
  /** The target of an action on a row: the selection if the row is part of it, otherwise the row alone. */
  const targetOf = (entry: Entry): Selection =>
    selection.chosen.has(entry.key) ? chosen : { place, entries: [entry] };
  /** The target of a keyboard shortcut: the selection, or the current row if nothing is selected. */
  const targetOfKey = (entry: Entry | undefined): Selection =>
    entries.length === 0 && entry !== undefined ? { place, entries: [entry] } : chosen;
  const leave = (): void => {
    if (letGo()) return;
    if (entries.length > 0) selection.clear();
    else show(undefined);
  };
  const keys = useGridKeys({
    scope,
    initial: opened.active,
    rows,
    selection,
    onOpen: (entry) => open(entry, entry.key === object),
    onEscape: leave,
    onMove: (entry) => object !== undefined && entry.kind === 'file' && later(() => setObject(entry.key, true)),
    onOtherKey: (key, entry) => actions.startOn(targetOfKey(entry), key),
  });
  useEffect(() => keep({ active: keys.active, chosen: selection.chosen }), [keep, keys.active, selection.chosen]);
  useCreatedFolder(place, rows, (index) => {
    keys.moveTo(index);
    toGrid();
  });
  const keepScroll = useCallback((scroll: number) => keep({ scroll }), [keep]);
  const viewer = useViewer({ url, listing, active: keys.active, moveTo: keys.moveTo, onClosed: toGrid });
  useFolderKeys({
    toGrid,
    toFilter: () => filterBox.current?.focus(),
    onUp: () => {
      const parent = parentOf(place.prefix);
      if (parent !== undefined) void navigate(linkInOrder({ ...place, prefix: parent }, sort));
    },
    onEscape: leave,
    onTake: (hotkey) => {
      const target = targetOfKey(document.activeElement === grid.current ? rows[keys.active] : undefined);
      return target.entries.length > 0 && actions.startOn(target, hotkey);
    },
    onPaste: actions.startHere,
    onMenu: () => area.current !== null && setMenu({ point: pointIn(area.current) }),
  });
  const refresh = (): void => {
    listing.retry();
    allowed.retry();
  };
  const openMenu = (event: MouseEvent<HTMLDivElement>): void => {
    const point = menuPointOf(event);
    if (point === undefined || hasNoBucket(listing)) return;
    event.preventDefault();
    setMenu({ point });
  };

  const denied = !allowed.pending && allowed.error === null && !allowed.may('objects:list');
  const isThere = !listing.pending && listing.error === null && !allowed.pending && !denied;
  useEffect(() => {
    if (!isThere) return;
    places.visit({ ...place, prefix: folderOf(place.prefix) });
    // Most of the next clicks need these.
    preloadMenus();
    preloadDialogs();
    DetailsPanel.preload();
  }, [isThere, place]);
  const at = (index: number, act: (entry: Entry) => void): void => {
    const entry = rows[index];
    keys.moveTo(index);
    if (entry !== undefined) act(entry);
  };

  return (
    <DropArea place={place} enabled={allowed.mayHere('objects:write')}>
      <div className={classes.page}>
        <div ref={area} className={classes.rows} onContextMenu={openMenu}>
          <FolderHead
            url={url}
            listing={listing}
            deleted={deleted}
            isFiltered={appliedFilter !== ''}
            selection={selection}
            chosen={chosen}
            actions={actions}
            view={view}
            onView={setView}
            onRefresh={refresh}
            toGrid={toGrid}
            filterRef={filterBox}
            state={hasNoBucket(listing) ? 'gone' : denied ? 'denied' : 'open'}
          />
          <FolderBody
            place={place}
            allowed={allowed}
            listing={listing}
            filter={filter}
            onClearFilter={() => setFilter('')}
            grid={{
              gridRef: grid,
              place,
              label: t('Contents of {name}', { name }),
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
              isNew: (entry) => newKeys.has(entry.key),
              isCut: (entry) => isCut(waiting, place, entry.key),
              onKeyDown: keys.onKeyDown,
              onOpen: (index) =>
                at(index, (entry) => {
                  clicked.current = entry;
                  open(entry);
                }),
              onOpenAgain: () =>
                clicked.current !== undefined &&
                view !== 'gallery' &&
                canFill(clicked.current) &&
                setFull(clicked.current.key),
              onToggle: (index) => at(index, selection.toggle),
              onStretch: keys.stretchTo,
              onDrag: (index, event) => {
                const entry = rows[index];
                if (entry === undefined) return;
                startDrag(event);
                const target = targetOf(entry);
                setDragged({ ...target, entries: target.entries.filter((row) => row.deleted !== true) });
              },
              onMenu: (index, point) => at(index, (entry) => setMenu({ selection: targetOf(entry), point })),
            }}
          />
        </div>
        <OnDemand opened={object !== undefined && !isFull} about={isFull ? '' : object}>
          {object !== undefined && !isFull && (
            <DetailsPanel
              place={place}
              objectKey={object}
              rows={rows}
              rowActions={rowActions}
              onFull={() => setFull(object)}
              onClose={() => {
                show(undefined);
                grid.current?.focus();
              }}
            />
          )}
        </OnDemand>
        <Boundary what="message" about="watch">
          <Suspense>{isThere && <FolderWatch place={place} onNew={setNewKeys} />}</Suspense>
        </Boundary>
        <Boundary what="message" about={String(dragged !== undefined)}>
          <Suspense>
            {dragged !== undefined && (
              <DraggedRows selection={dragged} rowActions={rowActions} around={actions.around} onEnd={setDragged} />
            )}
          </Suspense>
        </Boundary>
        {object !== undefined && isFull && (
          <FolderViewer
            place={place}
            objectKey={object}
            viewer={viewer}
            rowActions={rowActions}
            actions={actions}
            onStep={(key) => setFull(key, true)}
            onDetails={() => setObject(object, true)}
          />
        )}
        <OnDemand opened={menu !== undefined} onGiveUp={() => setMenu(undefined)}>
          {menu !== undefined && (
            <MenuAt
              point={menu.point}
              onClose={() => {
                setMenu(undefined);
                grid.current?.focus();
              }}
            >
              {menu.selection !== undefined ? (
                <RowMenu selection={menu.selection} rowActions={rowActions} clearSelection={selection.clear} />
              ) : (
                <FolderMenu
                  actions={actions}
                  onSelectAll={rows.length > 0 ? () => selection.add(rows) : undefined}
                  onRefresh={refresh}
                />
              )}
            </MenuAt>
          )}
        </OnDemand>
      </div>
    </DropArea>
  );
}
