import type { ReactNode } from 'react';

/** A page that the command palette can open. */
export type Destination = {
  readonly id: string;
  readonly label: string;
  readonly to: string;
  readonly icon: ReactNode;
  readonly description?: string;
};
