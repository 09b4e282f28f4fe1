import type { Identity } from '../policy/identity.ts';

export type SessionKind = 'web' | 'desktop';

/** How the identity provider names a sign-in when it ends it. */
export type ProviderLogin = {
  /** The claim `sub`, which need not be the subject of the identity. */
  readonly sub: string;
  /** The claim `sid`: the session at the provider. Undefined where the provider names none. */
  readonly sid?: string | undefined;
};

/** One login, or every login of one person, at an issuer. */
export type LoginName = { readonly issuer: string } & ({ readonly sid: string } | { readonly sub: string });

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
  /** Undefined for local users, and for sessions that an older version began. */
  readonly login?: ProviderLogin | undefined;
};

/** A session as a store keeps it. The ID Token goes in when the session starts and comes out when it ends, and at no other time. */
export type StoredSession = Session & {
  /** Used for provider logout only; never logged, never sent to a client except inside the end-session URL. Empty for local users. */
  readonly idToken: string;
};
