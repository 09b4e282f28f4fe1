import { useEffect, useRef } from 'react';

/** Debounces calls: runs the last function after a delay without further calls. */
export function useLater(delayMs: number): (act: () => void) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (act) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, delayMs);
  };
}
