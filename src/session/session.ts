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
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds since the epoch. Absolute: it never slides. */
  readonly expiresAt: number;
  /** The client's address at the sign-in; undefined where it is not known. */
  readonly address?: string | undefined;
  /** Milliseconds since the epoch, to the minute; undefined when nothing but the sign-in was written. */
  readonly lastUsedAt?: number | undefined;
};

/** A session as a store keeps it. The ID Token goes in when the session starts and comes out when it ends, and at no other time. */
export type StoredSession = Session & {
  /** Used for provider logout only; never logged, never sent to a client except inside the end-session URL. Empty for local users. */
  readonly idToken: string;
};
