import { createHmac } from 'node:crypto';

/** What signing and verifying have in common in AWS Signature Version 4. */

export const ALGORITHM = 'AWS4-HMAC-SHA256';
/** Used instead of the hash of a body that is not known before it is sent. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

/** @param scope - such as `20250131/region/s3/aws4_request`. */
export function signingKeyOf(secret: string, scope: string): Buffer {
  let key = Buffer.from(`AWS4${secret}`);
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  return key;
}

/** A time as it is signed, for example `20250131T235959Z`. */
export function stampOf(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** A query in the canonical form: encoded, and sorted by the encoded names. Undefined members are left out. */
export function queryOf(members: Iterable<readonly [name: string, value: string | undefined]>): string {
  return Array.from(members)
    .flatMap(([name, value]) => (value === undefined ? [] : [[encode(name), encode(value)] as const]))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((member) => member.join('='))
    .join('&');
}

/** The path of a key, encoded once. Slashes stay. */
export function pathOf(key: string): string {
  return key.split('/').map(encode).join('/');
}

/** The value of a header as it is signed. Only ASCII blanks count, because a no-break space may be one byte of a UTF-8 character. */
export function signedValueOf(value: string): string {
  return /^ |\t| {2}| $/.test(value) ? value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '') : value;
}

/** Encodes all but unreserved characters. */
function encode(text: string): string {
  if (/^[\w.~-]*$/.test(text)) return text;
  const encoded = encodeURIComponent(text);
  return /[!'()*]/.test(encoded)
    ? encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    : encoded;
}
