import type { Caller } from './caller.ts';
import type { WebIdentitySession } from './web-identity-caller.ts';

/** Refers to the session or key that a ticket or an open connection was made with, and with which it ends. */
export type CredentialRef =
  | { readonly kind: 'session'; readonly id: string; readonly digest: string }
  | { readonly kind: 'apiKey' | 's3Key'; readonly id: string; readonly rotatedAt: number | null }
  | { readonly kind: 'webIdentity'; readonly session: WebIdentitySession }
  | { readonly kind: 'anonymous' };

export function credentialRefOf(caller: Caller): CredentialRef {
  if (caller.session !== undefined) return { kind: 'session', id: caller.credentialId, digest: caller.session.digest };
  if (caller.kind === 'webIdentity') {
    const { identity, name, credentialId, keyExpiresAt } = caller;
    return { kind: 'webIdentity', session: { identity, name, credentialId, expiresAt: keyExpiresAt ?? 0 } };
  }
  return caller.kind === 'apiKey' || caller.kind === 's3Key'
    ? { kind: caller.kind, id: caller.credentialId, rotatedAt: caller.keyRotatedAt ?? null }
    : { kind: 'anonymous' };
}
