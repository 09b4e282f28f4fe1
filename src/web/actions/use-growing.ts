import { useEffect, useState } from 'react';
import { failureOf, type Failure } from '../../transfer/failure.ts';

/** What is known so far of something that is counted, and what has become of the counting. */
export type Growing<T> = { readonly value: T; readonly state: 'counting' | 'counted' | 'stopped' | 'failed'; readonly failure?: Failure };

/** Counts from when it is first shown until it is gone or stopped. What is given later is not heeded. @param count - gives what is known so far, again and again. */
export function useGrowing<T>(begun: Growing<T>, count: (signal: AbortSignal) => AsyncIterable<T>): Growing<T> & { readonly stop: () => void } {
  const [growing, setGrowing] = useState(begun);
  const isRunning = growing.state === 'counting';
  useEffect(() => {
    if (!isRunning) return undefined;
    const stopper = new AbortController();
    const { signal } = stopper;
    const end = (how: Omit<Growing<T>, 'value'>) => signal.aborted || setGrowing(({ value }) => ({ value, ...how }));
    const run = async (): Promise<void> => {
      for await (const value of count(signal)) if (!signal.aborted) setGrowing({ value, state: 'counting' });
    };
    run().then(
      () => end({ state: 'counted' }),
      (thrown: unknown) => end({ state: 'failed', failure: failureOf(thrown) }),
    );
    return () => stopper.abort();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it begins once, and ends when it does not run any more
  }, [isRunning]);
  return { ...growing, stop: () => setGrowing(({ value }) => ({ value, state: 'stopped' })) };
}
