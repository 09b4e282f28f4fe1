import { useEffect, useRef } from 'react';

/**
 * Starts what a key means. Somebody quick presses it while the service is still asked what is allowed: then it starts with the answer, unless they have gone on to another place.
 *
 * @param isPending - whether the answer is awaited.
 * @returns a function that says whether something was started, or will be.
 */
export function useOnceKnown<T>(scope: string, isPending: boolean, start: (what: T) => boolean): (what: T) => boolean {
  const wanted = useRef<{ readonly scope: string; readonly what: T }>(undefined);
  useEffect(() => {
    if (wanted.current === undefined || isPending) return;
    const { current } = wanted;
    wanted.current = undefined;
    if (current.scope === scope) start(current.what);
  });
  return (what) => {
    if (!isPending) return start(what);
    wanted.current = { scope, what };
    return true;
  };
}
