import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
const PUBLIC_ID_BYTES = 12;

/** What the credential of an API key begins with. */
export const API_KEY_PREFIX = 'svc_ak_';

/** A new secret: 256 random bits, base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** A new public id: 24 hexadecimal digits, safe to show and to log. */
export function newPublicId(): string {
  return randomBytes(PUBLIC_ID_BYTES).toString('hex');
}

/** Whether a text has the form of a public id. A text that has not may be a secret that somebody sent in its place. */
export function isPublicId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}

/** What a secret is known by where it is not stored: its SHA-256, base64url. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Whether two texts, or two sequences of bytes, are equal, in a time that does not tell where they differ. */
export function areEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
