import { useEffect, useState } from 'react';
import { failureOf, type Failure } from '../../transfer/failure.ts';
import { readLines } from '../api/lines.ts';
import type { Place } from '../place/place.ts';

export type Amount = { readonly objects: number; readonly bytes: number };

export type Size = {
  readonly total: Amount;
  /** What each folder directly in the place holds, by its prefix. */
  readonly folders: ReadonlyMap<string, Amount>;
  readonly state: 'counting' | 'counted' | 'stopped' | 'failed';
  readonly failure?: Failure;
};

type Line = Partial<Amount> & { readonly folder?: Amount & { readonly prefix: string } };

const NONE: Amount = { objects: 0, bytes: 0 };
const NOTHING: Size = { total: NONE, folders: new Map(), state: 'counting' };

/** Counts what one may list below a place, from when it is first shown until it is gone or stopped. Another place later is not heeded. */
export function useSize(place: Place): Size & { readonly stop: () => void } {
  const [size, setSize] = useState(NOTHING);
  const isRunning = size.state === 'counting';
  useEffect(() => {
    if (!isRunning) return undefined;
    const stopper = new AbortController();
    const { signal } = stopper;
    const end = (how: Pick<Size, 'state' | 'failure'>) => signal.aborted || setSize((current) => ({ ...current, ...how }));
    const run = async (): Promise<void> => {
      for await (const counted of sizesBelow(place, signal)) if (!signal.aborted) setSize({ ...counted, state: 'counting' });
    };
    run().then(
      () => end({ state: 'counted' }),
      (thrown: unknown) => end({ state: 'failed', failure: failureOf(thrown) }),
    );
    return () => stopper.abort();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it begins once, and ends when it does not run any more
  }, [isRunning]);
  return { ...size, stop: () => setSize((current) => ({ ...current, state: 'stopped' })) };
}

/** Gives the sum so far. The counts of each answer begin at zero, and a folder in which one ended is told by the next one too. */
async function* sizesBelow({ provider, bucket, prefix }: Place, signal: AbortSignal): AsyncGenerator<Pick<Size, 'total' | 'folders'>> {
  const path = `api/providers/${encodeURIComponent(provider)}/buckets/${encodeURIComponent(bucket)}/size`;
  let before = NONE;
  let folders: ReadonlyMap<string, Amount> = new Map();
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const lines: AsyncGenerator<readonly Line[], string | null> = readLines(path, { ...(prefix !== '' && { prefix }), ...(cursor !== undefined && { cursor }) }, signal);
    let total = before;
    let step = await lines.next();
    for (; step.done !== true; step = await lines.next()) {
      for (const { objects, bytes, folder } of step.value) {
        if (folder !== undefined) folders = new Map([...folders, [folder.prefix, sum(folders.get(folder.prefix) ?? NONE, folder)]]);
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
