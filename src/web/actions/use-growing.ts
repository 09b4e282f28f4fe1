import { useEffect, useState } from 'react';
import { failureOf, type Failure } from '../../transfer/failure.ts';

/** The result so far and the state of a count. */
export type Growing<T> = {
  readonly value: T;
  readonly state: 'counting' | 'counted' | 'stopped' | 'failed';
  readonly failure?: Failure;
};

/**
 * Runs a count from the first render until the component is removed or the count is stopped. Changes of the parameters have no effect.
 *
 * @param count - yields the result so far repeatedly.
 */
export function useGrowing<T>(
  begun: Growing<T>,
  count: (signal: AbortSignal) => AsyncIterable<T>,
): Growing<T> & { readonly stop: () => void } {
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
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the count starts once
  }, [isRunning]);
  return { ...growing, stop: () => setGrowing(({ value }) => ({ value, state: 'stopped' })) };
}
