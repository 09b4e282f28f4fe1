import { Button, Text } from '@mantine/core';
import {
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { useNavigate } from 'react-router';
import { useStore } from 'zustand';
import type { Selection } from '../actions/action.ts';
import { held, isCut, letGo } from '../actions/held.ts';
import { useSurroundings } from '../actions/use-surroundings.ts';
import type { Found } from '../api/search-run.ts';
import { startDrag } from '../dragging/drag-start.ts';
import { formatNumber } from '../format/format.ts';
import { visibleText } from '../names/visible.ts';
import { idOf, type Entry } from '../objects/entry.ts';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import { useEntryPermissions } from '../permissions/entry-permissions.ts';
import { t } from '../words/words.ts';
import classes from './folder-page.module.css';
import type { Point } from './menu-point.ts';
import { ObjectGrid } from './object-grid.tsx';
import { MenuAt, RowMenu } from './row-menu.tsx';
import { asListed, sizeOf } from './selected.ts';
import { arrange, type Sort } from './sort.ts';
import { ActionButtons, SelectionBar } from './toolbar.tsx';
import { byBuckets, foundSelection, useFound, useFoundActions } from './use-found.ts';
import { linkToRow } from './use-folder-url.ts';
import { useActionsOnRows } from './use-folder-actions.ts';
import { useClipboardKeys } from './use-folder-keys.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { useNarrow } from './use-narrow.ts';
import { useSelection, type RowSelection } from './use-selection.ts';
import { useStay } from './use-stay.ts';

const DraggedRows = lazyPart(() => import('../dragging/dragged-rows.tsx').then((module) => module.DraggedRows));

const never = (): boolean => false;

type Properties = {
  readonly found: readonly Found[];
  readonly isRunning: boolean;
  /** Identifies the search. */
  readonly scope: string;
  /** What was looked for. */
  readonly text: string;
  /** Shown above the rows while none is selected. */
  readonly head: ReactNode;
  readonly gridRef: RefObject<HTMLDivElement | null>;
};

/** What a search found, with the selection, the menus and the keys of a folder. Its rows may be in several folders and buckets. */
export function FoundRows({ head, ...properties }: Properties) {
  const rows = useFound(properties.found);
  const [isHeadShown, setHeadShown] = useState(true);
  return (
    <>
      {/* Its buttons keep the focus when the rows come and go. */}
      {isHeadShown && head}
      {rows.length > 0 && <Rows {...properties} unsorted={rows} showHead={setHeadShown} />}
    </>
  );
}

type RowsProperties = Omit<Properties, 'head'> & {
  readonly unsorted: readonly Entry[];
  readonly showHead: (isShown: boolean) => void;
};

function Rows({ found, isRunning, scope, text, gridRef, unsorted, showHead }: RowsProperties) {
  const navigate = useNavigate();
  const [sort, setSort] = useState<Sort>();
  const rows = useMemo(() => sorted(unsorted, sort), [unsorted, sort]);
  const rowActions = useFoundActions(found, isRunning);
  const { opened, keep } = useStay(scope);
  const selection = useSelection(scope, opened.chosen);
  const entries = useMemo(() => asListed(selection.chosen, rows, true), [selection.chosen, rows]);
  const chosen = useMemo(() => foundSelection(entries), [entries]);
  const permissions = useEntryPermissions(chosen?.place ?? unsorted[0]!.place!, chosen?.entries ?? [], rowActions);
  const actions = useActionsOnRows({ scope, permissions, around: useSurroundings(selection.clear) });
  const [menu, setMenu] = useState<{ readonly selection: Selection; readonly point: Point }>();
  const [dragged, setDragged] = useState<Selection>();
  const waiting = useStore(held);
  const isNarrow = useNarrow();
  const hasHead = entries.length === 0 || isNarrow;
  useLayoutEffect(() => {
    showHead(hasHead);
    return () => showHead(true);
  }, [hasHead, showHead]);
  const toGrid = (): void => gridRef.current?.focus({ preventScroll: true });

  const open = (entry: Entry): void => void navigate(linkToRow(entry, entry.place!, undefined));
  /** The target of an action on a row: the selection if the row is part of it and an action can take it, otherwise the row alone. */
  const targetOf = (entry: Entry): Selection =>
    (selection.chosen.has(idOf(entry)) ? chosen : undefined) ?? { place: entry.place!, entries: [entry] };
  const startOn = (entry: Entry | undefined, hotkey: string): boolean => {
    const target = entries.length > 0 ? chosen : entry && targetOf(entry);
    return target !== undefined && actions.startOn(target, hotkey);
  };
  const keys = useGridKeys({
    scope,
    initial: opened.active,
    rows,
    selection,
    onOpen: open,
    onEscape: () => letGo() || selection.clear(),
    onMove: () => undefined,
    onOtherKey: (key, entry) => startOn(entry, key),
  });
  useEffect(() => keep({ active: keys.active, chosen: selection.chosen }), [keep, keys.active, selection.chosen]);
  const keepScroll = useCallback((scroll: number) => keep({ scroll }), [keep]);
  useClipboardKeys({
    onTake: (hotkey) => startOn(document.activeElement === gridRef.current ? rows[keys.active] : undefined, hotkey),
    onPaste: never,
  });
  const at = (index: number, act: (entry: Entry) => void): void => {
    const entry = rows[index];
    keys.moveTo(index);
    if (entry !== undefined) act(entry);
  };

  return (
    <>
      {entries.length > 0 && (
        <SelectionBar
          count={formatNumber(entries.length)}
          size={sizeOf(entries)}
          onClear={() => {
            selection.clear();
            toGrid();
          }}
        >
          {chosen === undefined ? (
            <OneBucket entries={entries} selection={selection} />
          ) : (
            <ActionButtons
              offers={actions.on(chosen)}
              around={actions.around}
              small
              label={t('More actions on the selection')}
            />
          )}
        </SelectionBar>
      )}
      <ObjectGrid
        key={scope}
        gridRef={gridRef}
        place={rows[0]!.place!}
        label={t('Found')}
        view="found"
        listing={{
          rows,
          complete: !isRunning,
          pending: false,
          loading: isRunning,
          error: null,
          loadMore: () => undefined,
        }}
        filtered
        sort={sort}
        onSort={setSort}
        selection={selection}
        active={keys.active}
        opened={undefined}
        initialScroll={opened.scroll}
        onScrolled={keepScroll}
        isLocked={(entry) => rowActions(entry)?.includes('objects:get') === false}
        isReadable={never}
        isNew={never}
        isCut={(entry) => isCut(waiting, entry.place!, entry.key)}
        marked={text}
        onKeyDown={keys.onKeyDown}
        onOpen={(index) => at(index, open)}
        onOpenAgain={() => undefined}
        onToggle={(index) => at(index, selection.toggle)}
        onStretch={keys.stretchTo}
        onDrag={(index, event) => {
          if (rows[index] === undefined) return;
          startDrag(event);
          setDragged(targetOf(rows[index]));
        }}
        onMenu={(index, point) => at(index, (entry) => setMenu({ selection: targetOf(entry), point }))}
      />
      <Boundary what="message" about={String(dragged !== undefined)}>
        <Suspense>
          {dragged !== undefined && (
            <DraggedRows selection={dragged} rowActions={rowActions} around={actions.around} onEnd={setDragged} />
          )}
        </Suspense>
      </Boundary>
      {menu !== undefined && (
        <MenuAt
          point={menu.point}
          onClose={() => {
            setMenu(undefined);
            toGrid();
          }}
        >
          <RowMenu selection={menu.selection} rowActions={rowActions} clearSelection={selection.clear} />
        </MenuAt>
      )}
    </>
  );
}

/** Actions take the rows of one bucket: narrows a selection of several. */
function OneBucket({ entries, selection }: { entries: readonly Entry[]; selection: RowSelection }) {
  return (
    <div className={classes.buckets}>
      <Text size="sm" c="dimmed" visibleFrom="sm">
        {t('Choose one bucket:')}
      </Text>
      {byBuckets(entries).map((those) => (
        <Button
          key={idOf(those[0]!)}
          size="xs"
          variant="default"
          flex="none"
          onClick={() => {
            selection.clear();
            selection.add(those);
          }}
        >
          {t('{count} in {place}', {
            count: those.length,
            place: visibleText(those[0]?.place?.bucket ?? ''),
          })}
        </Button>
      ))}
    </div>
  );
}

function sorted(rows: readonly Entry[], sort: Sort | undefined): readonly Entry[] {
  if (sort === undefined) return rows;
  return arrange(
    rows.filter((row) => row.kind === 'folder'),
    rows.filter((row) => row.kind === 'file'),
    sort,
    true,
  );
}
