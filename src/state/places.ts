const RESERVE = 0.05;

/**
 * The number of sessions or keys up to which a new one is accepted. Administrators have a reserve of 5 % above the capacity, at least one, so that a full store
 * does not lock out the people who can make room.
 */
export function placesFor({ isAdmin }: { readonly isAdmin: boolean }, capacity: number): number {
  return isAdmin ? capacity + Math.max(1, Math.floor(capacity * RESERVE)) : capacity;
}
