import type { Identity } from '../policy/model/identity.ts';

export type SessionKind = 'web' | 'desktop';

/** The identifiers under which the identity provider ends a sign-in. */
export type ProviderLogin = {
  /** The claim `sub`, which may differ from the subject of the identity. */
  readonly sub: string;
  /** The claim `sid`: the session at the provider; undefined when the provider gives none. */
  readonly sid?: string | undefined;
};

/** Names one session at an issuer (`sid`), or every login of one person there (`sub`). With both, it names that session, and the person's logins that have no `sid`. */
export type LoginName = { readonly issuer: string } & (
  { readonly sid: string; readonly sub?: string | undefined } | { readonly sub: string; readonly sid?: undefined }
);

/** The public id of a session, and who began it at the provider (`sub` of the ID token). */
export type SessionOfLogin = { readonly id: string; readonly sub: string };

/**
 * A signed-in person. The claims are a snapshot taken at sign-in and never refreshed.
 *
 * @see spec "Session"
 */
export type Session = {
  /** Public id, which is safe to show and to log; it authenticates nobody. */
  readonly id: string;
  readonly kind: SessionKind;
  readonly identity: Identity;
  /** The name to show; the subject when the provider gave no name. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds since the epoch. It is fixed when the session starts. */
  readonly expiresAt: number;
  /** The client's address at sign-in; undefined when it is unknown. */
  readonly address?: string | undefined;
  /** Milliseconds since the epoch, rounded to the minute; undefined before the first recorded use. */
  readonly lastUsedAt?: number | undefined;
  /** Undefined for local users, and for sessions that an older version started. */
  readonly login?: ProviderLogin | undefined;
};

/** A session as a store keeps it. The ID token is written when the session starts, and read only when it ends. */
export type StoredSession = Session & {
  /** Used for provider logout only. It is never logged, and sent to a client only inside the end-session URL. Empty for local users. */
  readonly idToken: string;
};
