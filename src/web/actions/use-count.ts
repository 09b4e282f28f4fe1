import { useEffect, useState } from 'react';
import { failureOf, type Failure } from '../../transfer/failure.ts';
import { retrying } from '../../transfer/retry.ts';
import { countBeneath, NOTHING, type Count } from './count-beneath.ts';
import type { BucketRef } from './object-calls.ts';

const RETRIES = 2;

export type Counting = { readonly count: Count; readonly state: 'counting' | 'counted' | 'stopped' | 'failed'; readonly failure?: Failure };

/** Counts what is beneath prefixes, from when it is first shown until it is gone or stopped. Other prefixes later are not heeded. */
export function useCount(bucket: BucketRef, prefixes: readonly string[]): Counting & { readonly stop: () => void } {
  const [counting, setCounting] = useState<Counting>({ count: NOTHING, state: prefixes.length === 0 ? 'counted' : 'counting' });
  const isRunning = counting.state === 'counting';
  useEffect(() => {
    if (!isRunning) return undefined;
    const { signal, abort } = stopper();
    const end = (how: Omit<Counting, 'count'>) => signal.aborted || setCounting(({ count }) => ({ count, ...how }));
    const run = async (): Promise<void> => {
      const walk = { signal, attempt: <T>(request: (tries: number) => Promise<T>) => retrying(request, { retries: RETRIES, signal }) };
      for await (const count of countBeneath(bucket, prefixes, walk)) if (!signal.aborted) setCounting({ count, state: 'counting' });
    };
    run().then(
      () => end({ state: 'counted' }),
      (thrown: unknown) => end({ state: 'failed', failure: failureOf(thrown) }),
    );
    return abort;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it begins once, and ends when it does not run any more
  }, [isRunning]);
  return { ...counting, stop: () => setCounting(({ count }) => ({ count, state: 'stopped' })) };
}

function stopper(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
