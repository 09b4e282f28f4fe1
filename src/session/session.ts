import type { Identity } from '../policy/identity.ts';

export type SessionKind = 'web' | 'desktop';

/**
 * A signed-in person. The claims are a snapshot taken at sign-in and never refreshed.
 *
 * @see spec "Session"
 */
export type Session = {
  /** Public id: safe to show and to log; it authenticates nobody. */
  readonly id: string;
  readonly kind: SessionKind;
  readonly identity: Identity;
  /** For people; the subject where the provider gave no name. */
  readonly name: string;
  /** Used for provider logout only; never logged, never sent to a client except inside the end-session URL. Empty for local users. */
  readonly idToken: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds since the epoch. Absolute: it never slides. */
  readonly expiresAt: number;
};
