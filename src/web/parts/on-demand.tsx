import { Suspense, useState, type ReactNode } from 'react';
import { Boundary } from './boundary.tsx';

/** Renders lazy parts from the first time that they are opened. If their code cannot be loaded, a notification says so. */
export function OnDemand({ opened, children }: { opened: boolean; children: ReactNode }) {
  const [isAsked, setAsked] = useState(opened);
  if (opened && !isAsked) setAsked(true);
  return (
    isAsked && (
      <Boundary what="message" about={String(opened)}>
        <Suspense>{children}</Suspense>
      </Boundary>
    )
  );
}
