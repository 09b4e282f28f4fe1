/** How often something happened in the current window, and when counting starts again, in milliseconds since the epoch. */
export type Count = { readonly count: number; readonly resetsAt: number };

/** Counts over all instances. Every implementation passes `tests/contract/counts.ts`. */
export interface Counts {
  /** Adds one to the count of the current window. All windows are `windowMs` long and begin at multiples of that. */
  add(id: string, windowMs: number): Promise<Count>;
}

/** The end of the current window, in milliseconds since the epoch. */
export function endOfWindow(now: number, windowMs: number): number {
  return (Math.floor(now / windowMs) + 1) * windowMs;
}
