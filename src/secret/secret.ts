import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
const PUBLIC_ID_BYTES = 12;

/** The prefix of an API key's credential. */
export const API_KEY_PREFIX = 'svc_ak_';

/** A new secret: 256 random bits, base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** A new public id: 24 hexadecimal digits, safe to show and to log. */
export function newPublicId(): string {
  return randomBytes(PUBLIC_ID_BYTES).toString('hex');
}

/** Whether a text has the form of a public id. Another text may be a secret that somebody sent by mistake. */
export function isPublicId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}

/** The SHA-256 of a secret in base64url. It identifies a secret that is not stored. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Whether two texts or byte sequences are equal, compared in constant time. */
export function areEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
