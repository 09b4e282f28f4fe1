import type { Claims } from './claims.ts';

/** What a database can keep and find. OpenID Connect Core gives `sub` no more than 255 characters, and a session at the provider needs less. */
const MAX_CHARACTERS = 255;

/** How the provider names a sign-in when it ends it. */
export type IssuedLogin = {
  readonly sub: string;
  /** The session at the provider, where it names one. */
  readonly sid: string | undefined;
  /** When the ID token was issued, in seconds since the epoch by the provider's clock. */
  readonly issuedAt: number;
};

/** Undefined when the subject cannot be kept: such a sign-in stands, and the provider cannot end it. */
export function issuedLoginOf({ sub, sid, iat }: Claims): IssuedLogin | undefined {
  return isProviderName(sub) ? { sub, sid: isProviderName(sid) ? sid : undefined, issuedAt: Number(iat) } : undefined;
}

export function isProviderName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS && !value.includes('\0') && value.isWellFormed();
}
