import { useMemo, useState, type KeyboardEvent } from 'react';
import type { Entry } from '../objects/entry.ts';
import { rangeOf } from './selected.ts';
import type { RowSelection } from './use-selection.ts';

type Options = {
  readonly scope: string;
  /** The index of the current row when the folder is opened. */
  readonly initial: number;
  readonly rows: readonly Entry[];
  readonly selection: RowSelection;
  readonly onOpen: (entry: Entry) => void;
  readonly onEscape: () => void;
  /** Called when a key makes another row the current one. */
  readonly onMove: (entry: Entry) => void;
  /** Handles the keys that the grid does not handle. @returns whether it handled the key. */
  readonly onOtherKey: (key: string, entry: Entry | undefined) => boolean;
};

/** The layout of the rows on the screen: the number of columns, and the number of lines per screen page. */
export type GridShape = { readonly columns: number; readonly lines: number };

export type GridKeys = {
  /** The index of the current row. */
  readonly active: number;
  readonly moveTo: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLDivElement>, shape: GridShape) => void;
  /** Selects the rows from the anchor to this index. The anchor is the last row that was made the current one without Shift. */
  readonly stretchTo: (index: number) => void;
};

type Standing = { readonly index: number; readonly key?: string | undefined; readonly anchor?: string | undefined };

/** The keyboard control of the grid. The arrow keys move the current row, in two dimensions in the gallery; Enter, Space and Shift act on it. */
export function useGridKeys({
  scope,
  initial,
  rows,
  selection,
  onOpen,
  onEscape,
  onMove,
  onOtherKey,
}: Options): GridKeys {
  const [state, setState] = useState<Standing & { scope: string }>({ scope, index: initial });
  const here: Standing = state.scope === scope ? state : { index: initial };
  const active = useMemo(() => indexOf(here.index, here.key, rows), [here.index, here.key, rows]);

  const within = (index: number): number => Math.max(0, Math.min(index, rows.length - 1));
  const moveTo = (index: number): void => {
    const { key } = rows[within(index)] ?? {};
    setState({ scope, index: within(index), key, anchor: key });
    selection.settle();
  };
  const stretchTo = (index: number): void => {
    const { anchor = rows[active]?.key } = here;
    setState({ scope, index: within(index), key: rows[within(index)]?.key, anchor });
    selection.stretch(rangeOf(rows, anchor, within(index)));
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>, shape: GridShape): void => {
    if (event.target !== event.currentTarget && (!isCheckbox(event.target) || event.key === ' ')) return;
    const current = rows[active];
    const target = destination(event.key, active, rows.length, shape);
    if (target !== undefined && !event.altKey) {
      if (event.shiftKey) stretchTo(target);
      else moveTo(target);
      const moved = rows[within(target)];
      if (moved !== undefined) onMove(moved);
    } else if (event.key === 'Enter' && current !== undefined) onOpen(current);
    else if (event.key === ' ' && current !== undefined) selection.toggle(current);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selection.add(rows);
    else if (event.key === 'Escape') onEscape();
    else if (event.ctrlKey || event.metaKey || event.altKey || !onOtherKey(event.key, current)) return;
    event.preventDefault();
  };
  return { active, moveTo, onKeyDown, stretchTo };
}

/** The index of the current row, found by its key, because rows that arrive later may change the index. */
function indexOf(index: number, key: string | undefined, rows: readonly Entry[]): number {
  const found = key === undefined || rows[index]?.key === key ? index : rows.findIndex((row) => row.key === key);
  return found === -1 ? Math.min(index, Math.max(rows.length - 1, 0)) : Math.min(found, Math.max(rows.length - 1, 0));
}

/** Whether the element is a checkbox. The keys of the grid also work while the checkbox in the header has the focus. */
function isCheckbox(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && target.type === 'checkbox';
}

function destination(key: string, from: number, count: number, { columns, lines }: GridShape): number | undefined {
  const byLines = (by: number): number => {
    const to = from + by * columns;
    if (to >= count && Math.floor(from / columns) === Math.floor((count - 1) / columns)) return from;
    return to < 0 && from < columns ? from : to;
  };
  switch (key) {
    case 'ArrowDown':
      return byLines(1);
    case 'ArrowUp':
      return byLines(-1);
    case 'ArrowRight':
      return columns > 1 ? from + 1 : undefined;
    case 'ArrowLeft':
      return columns > 1 ? from - 1 : undefined;
    case 'PageDown':
      return byLines(lines);
    case 'PageUp':
      return byLines(-lines);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
