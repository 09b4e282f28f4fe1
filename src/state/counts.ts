/** How often something happened, and when counting begins again, in milliseconds since the epoch. */
export type Count = { readonly count: number; readonly resetsAt: number };

/** Counts over all instances. Every implementation passes `tests/contract/counts.ts`. */
export interface Counts {
  /** Counts one more within the present window: all windows are `windowMs` long and begin at multiples of that. */
  add(id: string, windowMs: number): Promise<Count>;
}

/** When the present window ends. */
export function endOfWindow(now: number, windowMs: number): number {
  return (Math.floor(now / windowMs) + 1) * windowMs;
}
