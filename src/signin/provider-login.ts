import type { Claims } from './claims.ts';

/** The longest text that a database can store and index. OpenID Connect Core limits `sub` to 255 characters, and a `sid` is shorter. */
const MAX_CHARACTERS = 255;

/** The identifiers under which the provider ends a sign-in. */
export type IssuedLogin = {
  readonly sub: string;
  /** The session at the provider; undefined when it gives none. */
  readonly sid: string | undefined;
  /** When the ID token was issued, in seconds since the epoch by the provider's clock. */
  readonly issuedAt: number;
};

/** Undefined when the subject cannot be stored. The sign-in is then valid, but the provider cannot end it. */
export function issuedLoginOf({ sub, sid, iat }: Claims): IssuedLogin | undefined {
  return isProviderName(sub) ? { sub, sid: isProviderName(sid) ? sid : undefined, issuedAt: Number(iat) } : undefined;
}

export function isProviderName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_CHARACTERS &&
    !value.includes('\0') &&
    value.isWellFormed()
  );
}
