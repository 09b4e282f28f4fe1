import { useEffect, useRef } from 'react';

/** Does the last of many things, once no further one came for a while. */
export function useLater(delayMs: number): (act: () => void) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (act) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, delayMs);
  };
}
