import { readLines } from '../api/lines.ts';
import type { Place } from '../place/place.ts';
import { useGrowing, type Growing } from './use-growing.ts';

export type Amount = { readonly objects: number; readonly bytes: number };

export type Size = {
  readonly total: Amount;
  /** The size of each folder directly in the place, by its prefix. */
  readonly folders: ReadonlyMap<string, Amount>;
};

type Line = Partial<Amount> & { readonly folder?: Amount & { readonly prefix: string } };

const NONE: Amount = { objects: 0, bytes: 0 };

/** Counts the objects below a place that the user may list, while the component is shown. */
export function useSize(place: Place): Growing<Size> & { readonly stop: () => void } {
  return useGrowing({ value: { total: NONE, folders: new Map() }, state: 'counting' }, (signal) =>
    sizesBelow(place, signal),
  );
}

/** Yields the sum so far. Each answer starts to count at zero, and a folder that is split between two answers is in both. */
async function* sizesBelow({ provider, bucket, prefix }: Place, signal: AbortSignal): AsyncGenerator<Size> {
  let before = NONE;
  let folders: ReadonlyMap<string, Amount> = new Map();
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const lines: AsyncGenerator<readonly Line[], string | null> = readLines(
      ['api', 'providers', provider, 'buckets', bucket, 'size'],
      { prefix: prefix || undefined, cursor },
      signal,
    );
    let total = before;
    let step = await lines.next();
    for (; step.done !== true; step = await lines.next()) {
      for (const { objects, bytes, folder } of step.value) {
        if (folder !== undefined)
          folders = new Map([...folders, [folder.prefix, sum(folders.get(folder.prefix) ?? NONE, folder)]]);
        else if (objects !== undefined && bytes !== undefined) total = sum(before, { objects, bytes });
      }
      yield { total, folders };
    }
    before = total;
    cursor = step.value;
  }
}

function sum(a: Amount, b: Amount): Amount {
  return { objects: a.objects + b.objects, bytes: a.bytes + b.bytes };
}
