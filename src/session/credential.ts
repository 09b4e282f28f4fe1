import { hash, randomBytes } from 'node:crypto';

const CREDENTIAL_BYTES = 32;
const PUBLIC_ID_BYTES = 12;

/** A new opaque session credential: 256 random bits, base64url, 43 characters. */
export function newCredential(): string {
  return randomBytes(CREDENTIAL_BYTES).toString('base64url');
}

/** What a store knows a credential by: its SHA-256, base64url. The credential itself is never stored. */
export function digestOf(credential: string): string {
  return hash('sha256', credential, 'base64url');
}

/** A new public id: safe to show and to log. */
export function newSessionId(): string {
  return randomBytes(PUBLIC_ID_BYTES).toString('hex');
}
