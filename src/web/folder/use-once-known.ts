import { useEffect, useRef } from 'react';

/**
 * Delays the action of a shortcut until the permissions are known. It is dropped if the user has gone to another place by then.
 *
 * @param isPending - whether the permissions are still being requested.
 * @returns a function that starts the action, and returns whether it was started or delayed.
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
