import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { idOf, type Entry } from '../objects/entry.ts';
import { rangeOf } from './selected.ts';
import { rowOfTyped, typedOn, type Typed } from './type-ahead.ts';
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

type Standing = { readonly index: number; readonly id?: string | undefined; readonly anchor?: string | undefined };

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
  const active = useMemo(() => indexOf(here.index, here.id, rows), [here.index, here.id, rows]);

  const within = (index: number): number => Math.max(0, Math.min(index, rows.length - 1));
  const moveTo = (index: number): void => {
    const id = idAt(rows, within(index));
    setState({ scope, index: within(index), id, anchor: id });
    selection.settle();
  };
  const stretchTo = (index: number): void => {
    const { anchor = idAt(rows, active) } = here;
    setState({ scope, index: within(index), id: idAt(rows, within(index)), anchor });
    selection.stretch(rangeOf(rows, anchor, within(index)));
  };

  const typed = useRef<Typed>({ text: '', at: 0 });
  /** Goes to the row whose name begins with what is typed. @returns whether the key is part of a name. */
  const typeAhead = (key: string, now: number): boolean => {
    if (!/^.$/u.test(key) || key === '/' || key === '?') return false;
    typed.current = typedOn(typed.current, key, now);
    const target = rowOfTyped(
      rows.map(({ name }) => name),
      active,
      typed.current,
    );
    if (target === undefined) return true;
    moveTo(target);
    onMove(rows[target]!);
    return true;
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>, shape: GridShape): void => {
    if (event.target !== event.currentTarget && (!isCheckbox(event.target) || event.key === ' ')) return;
    if (event.key === 'Enter' && event.target !== event.currentTarget) {
      // The checkbox that selects all.
      (event.target as HTMLInputElement).click();
      event.preventDefault();
      return;
    }
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
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (!onOtherKey(event.key, current) && !typeAhead(event.key, event.timeStamp)) return;
    event.preventDefault();
  };
  return { active, moveTo, onKeyDown, stretchTo };
}

function idAt(rows: readonly Entry[], index: number): string | undefined {
  return rows[index] && idOf(rows[index]);
}

/** The index of the current row, found by its identity, because rows that arrive later may change the index. */
function indexOf(index: number, id: string | undefined, rows: readonly Entry[]): number {
  const found = id === undefined || idAt(rows, index) === id ? index : rows.findIndex((row) => idOf(row) === id);
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
