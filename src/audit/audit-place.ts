import type { AuditStoreOptions } from './audit-store.ts';
import { SigningKey } from './signing-key.ts';

/** The folder of an audit, and the public keys whose signatures are trusted. */
export type AuditPlace = { readonly path: string; readonly keys: readonly string[] };

export function auditPlace({
  path,
  signingSecret,
  formerKeys,
}: Pick<AuditStoreOptions, 'path' | 'signingSecret' | 'formerKeys'>): AuditPlace {
  return { path, keys: [new SigningKey(signingSecret).publicKey, ...formerKeys] };
}
