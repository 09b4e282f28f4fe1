import type { Entry } from '../objects/entry.ts';

export type Chosen = ReadonlyMap<string, Entry>;

/** The selection of a folder. `settled` is the selection at the time when the anchor of a range was set; changes of the range do not affect it. */
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

/** Replaces the previous range from the anchor. */
export function stretched({ settled: kept }: Selected, range: readonly Entry[]): Selected {
  return { chosen: union(kept, range), settled: kept };
}

/** Makes the current range permanent, because a new anchor was set. */
export function settled(selected: Selected): Selected {
  return selected.chosen === selected.settled ? selected : selectedFrom(selected.chosen);
}

/** The rows between the anchor and the row `end`, in either direction. If the anchor is no longer listed, it is the row `end` alone. */
export function rangeOf(rows: readonly Entry[], anchor: string | undefined, end: number): readonly Entry[] {
  const found = rows.findIndex(({ key }) => key === anchor);
  const from = found === -1 ? end : found;
  return rows.slice(Math.min(from, end), Math.max(from, end) + 1);
}

/**
 * The selected rows in the order of the listing, followed by the selected rows that are not listed.
 *
 * @param isWhole - whether `rows` are all rows of the folder. Selected rows that are not among them were deleted and are left out.
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
