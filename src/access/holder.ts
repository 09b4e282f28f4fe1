import type { Caller } from './caller.ts';

/** What a ticket or an open connection is bound to: it dies with that session or key. */
export type Holder = { readonly kind: 'session'; readonly id: string; readonly digest: string } | { readonly kind: 'apiKey'; readonly id: string; readonly rotatedAt: number | null } | { readonly kind: 'anonymous' };

export function holderOf(caller: Caller): Holder {
  if (caller.session !== undefined) return { kind: 'session', id: caller.credentialId, digest: caller.session.digest };
  return caller.kind === 'apiKey' ? { kind: 'apiKey', id: caller.credentialId, rotatedAt: caller.keyRotatedAt ?? null } : { kind: 'anonymous' };
}
