import { createStore } from 'zustand/vanilla';
import type { Place } from '../place/place.ts';
import { idOf } from './entry.ts';

type Bucket = Omit<Place, 'prefix'>;

/** The objects and folders that this page deleted or moved away, so that results of earlier searches do not show them. */
export const gone = createStore<ReadonlySet<string>>(() => new Set());

/** The maximum number of remembered objects and folders. The oldest are forgotten. */
const MOST = 50_000;

export function tellGone(bucket: Bucket, keys: readonly string[]): void {
  const next = [...gone.getState(), ...idsOf(bucket, keys)];
  gone.setState(new Set(next.slice(-MOST)), true);
}

/** Tells that objects exist again, and with them the folders around them. */
export function tellBack(bucket: Bucket, keys: readonly string[]): void {
  if (gone.getState().size === 0) return;
  const next = new Set(gone.getState());
  for (const id of idsOf(bucket, keys))
    for (let end = id.length; end > 0; end = id.lastIndexOf('/', end - 2) + 1) next.delete(id.slice(0, end));
  gone.setState(next, true);
}

function idsOf({ provider, bucket }: Bucket, keys: readonly string[]): string[] {
  return keys.map((key) => idOf({ place: { provider, bucket, prefix: '' }, key }));
}
