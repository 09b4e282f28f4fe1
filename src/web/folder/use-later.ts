import { useEffect, useRef } from 'react';

/** Debounces calls: runs the last function after a delay without further calls, unless it is cancelled before. */
export function useLater(delayMs: number): { readonly later: (act: () => void) => void; readonly cancel: () => void } {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const cancel = (): void => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    cancel,
    later: (act) => {
      cancel();
      timer.current = setTimeout(act, delayMs);
    },
  };
}
