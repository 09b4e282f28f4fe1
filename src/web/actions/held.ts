import { createStore } from 'zustand/vanilla';
import type { Place } from '../place/place.ts';
import type { Selection } from './action.ts';

/** The rows that were cut or copied, and wait to be pasted. */
export type Held = { readonly selection: Selection; readonly isCut: boolean; readonly keys: ReadonlySet<string> };

export const held = createStore<Held | undefined>(() => undefined);

export function hold(selection: Selection, isCut: boolean): void {
  held.setState({ selection, isCut, keys: new Set(selection.entries.map(({ key }) => key)) }, true);
}

/** Cancels a cut or a copy. @returns whether there was one. */
export function letGo(): boolean {
  if (held.getState() === undefined) return false;
  held.setState(undefined, true);
  return true;
}

/** Whether the row with this key in the place was cut. */
export function isCut(waiting: Held | undefined, { provider, bucket }: Place, key: string): boolean {
  if (waiting?.isCut !== true || !waiting.keys.has(key)) return false;
  const { place } = waiting.selection;
  return place.provider === provider && place.bucket === bucket;
}
