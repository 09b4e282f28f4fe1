const RESERVE = 0.05;

/**
 * How many of something there may be when whoever asks is let in. Administrators have a reserve of 5 % above the capacity, at least
 * one, so that what is full does not keep out whoever can make room.
 */
export function placesFor({ isAdmin }: { readonly isAdmin: boolean }, capacity: number): number {
  return isAdmin ? capacity + Math.max(1, Math.floor(capacity * RESERVE)) : capacity;
}
