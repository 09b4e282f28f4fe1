import type { Entry } from '../objects/entry.ts';

export type Chosen = ReadonlyMap<string, Entry>;

/** The selection of a folder. `settled` is what a range leaves as it is when it shrinks: what was selected when its anchor was set. */
export type Selected = { readonly chosen: Chosen; readonly settled: Chosen };

export function selectedFrom(chosen: Chosen): Selected {
  return { chosen, settled: chosen };
}

export function toggled({ chosen }: Selected, entry: Entry): Selected {
  const next = new Map(chosen);
  if (!next.delete(entry.key)) next.set(entry.key, entry);
  return selectedFrom(next);
}

export function added({ chosen }: Selected, entries: readonly Entry[]): Selected {
  return selectedFrom(union(chosen, entries));
}

/** The range from the anchor takes the place of the one before. */
export function stretched({ settled: kept }: Selected, range: readonly Entry[]): Selected {
  return { chosen: union(kept, range), settled: kept };
}

/** A new anchor was set: the range before it stays. */
export function settled(selected: Selected): Selected {
  return selected.chosen === selected.settled ? selected : selectedFrom(selected.chosen);
}

/** The rows from the anchor up to the row `end`, in both directions. An anchor that is listed no more is taken to be that row. */
export function rangeOf(rows: readonly Entry[], anchor: string | undefined, end: number): readonly Entry[] {
  const found = rows.findIndex(({ key }) => key === anchor);
  const from = found === -1 ? end : found;
  return rows.slice(Math.min(from, end), Math.max(from, end) + 1);
}

/**
 * What is selected, as it is listed now.
 *
 * @param isWhole - whether `rows` are all that there is: what is not among them was deleted, and is selected no more.
 */
export function asListed(chosen: Chosen, rows: readonly Entry[], isWhole: boolean): readonly Entry[] {
  if (chosen.size === 0) return [];
  const listed = rows.filter(({ key }) => chosen.has(key));
  if (isWhole || listed.length === chosen.size) return listed;
  const keys = new Set(listed.map(({ key }) => key));
  return [...listed, ...[...chosen.values()].filter(({ key }) => !keys.has(key))];
}

function union(chosen: Chosen, entries: readonly Entry[]): Chosen {
  const next = new Map(chosen);
  for (const entry of entries) next.set(entry.key, entry);
  return next;
}
