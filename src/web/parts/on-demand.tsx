import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { Boundary } from './boundary.tsx';

type Properties = {
  readonly opened: boolean;
  /** When this value changes, a failure is told again. */
  readonly about?: string | undefined;
  /** The element that opens the parts. */
  readonly by?: HTMLElement | null;
  /** Called when the user turns to something else while the code is loading, as an open menu closes then, and when the code cannot be loaded. */
  readonly onGiveUp?: () => void;
  readonly children: ReactNode;
};

/** Renders lazy parts from the first time that they are opened. If their code cannot be loaded, a notification says so. */
export function OnDemand({ opened, about = String(opened), by = null, onGiveUp, children }: Properties) {
  const [isAsked, setAsked] = useState(opened);
  if (opened && !isAsked) setAsked(true);
  const giveUp = () => {
    setAsked(false);
    onGiveUp?.();
  };
  return (
    isAsked && (
      <Boundary what="message" about={about} onTold={onGiveUp && giveUp}>
        <Suspense fallback={opened && onGiveUp !== undefined && <Awaited by={by} onGiveUp={onGiveUp} />}>
          {children}
        </Suspense>
      </Boundary>
    )
  );
}

/** Watches for what the user does while the code is loading. */
function Awaited({ by, onGiveUp }: { by: HTMLElement | null; onGiveUp: () => void }) {
  useEffect(() => {
    const look = (event: Event) => {
      const key = event instanceof KeyboardEvent ? event.key : undefined;
      // What opens the parts closes them as well.
      if (key !== 'Escape' && key !== 'Tab' && by?.contains(event.target as Node) === true) return;
      if (key === 'Escape') event.stopPropagation();
      onGiveUp();
    };
    const events = ['keydown', 'mousedown', 'touchstart'];
    for (const event of events) window.addEventListener(event, look, true);
    return () => {
      for (const event of events) window.removeEventListener(event, look, true);
    };
  }, [by, onGiveUp]);
  return null;
}
