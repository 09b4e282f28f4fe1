import { formatBytes } from '../../format/byte-size.ts';
import { idOf, type Entry } from '../objects/entry.ts';

/** The selected rows by what tells them apart. */
export type Chosen = ReadonlyMap<string, Entry>;

/** The selection of a folder. `settled` is the selection at the time when the anchor of a range was set; changes of the range do not affect it. */
export type Selected = { readonly chosen: Chosen; readonly settled: Chosen };

export function selectedFrom(chosen: Chosen): Selected {
  return { chosen, settled: chosen };
}

export function toggled({ chosen }: Selected, entry: Entry): Selected {
  const next = new Map(chosen);
  if (!next.delete(idOf(entry))) next.set(idOf(entry), entry);
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
  const found = rows.findIndex((row) => idOf(row) === anchor);
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
  const listed = rows.filter((row) => chosen.has(idOf(row)));
  if (isWhole || listed.length === chosen.size) return listed;
  const keys = new Set(listed.map(idOf));
  return [...listed, ...[...chosen.values()].filter((row) => !keys.has(idOf(row)))];
}

function union(chosen: Chosen, entries: readonly Entry[]): Chosen {
  const next = new Map(chosen);
  for (const entry of entries) next.set(idOf(entry), entry);
  return next;
}

/** How large the selected objects are together, in words; undefined when they have no bytes. */
export function sizeOf(entries: readonly Entry[]): string | undefined {
  const bytes = entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size : 0), 0);
  return bytes > 0 ? formatBytes(bytes) : undefined;
}
