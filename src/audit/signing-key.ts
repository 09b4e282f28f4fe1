import { createPrivateKey, createPublicKey, hkdfSync, sign, verify, type KeyObject } from 'node:crypto';

/** The bytes before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410 section 7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PURPOSE = 'svc audit';

/** Signed content, and the public key of the signer in base64url. */
export type Signed<T> = T & { readonly key: string; readonly signature: string };

/** Signs heads, cursors and removals of the audit (Ed25519). The public key alone is enough to verify. */
export class SigningKey {
  readonly #key: KeyObject;
  /** In base64url. */
  readonly publicKey: string;

  /** @param secret - instances with the same secret have the same key. */
  constructor(secret: string) {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32));
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
    this.publicKey = createPublicKey(this.#key).export({ format: 'jwk' }).x!;
  }

  sign<T extends object>(content: T): Signed<T> {
    const whole = { ...content, key: this.publicKey };
    return { ...whole, signature: sign(null, bytesOf(whole), this.#key).toString('base64url') };
  }
}

/**
 * Whether one of the keys signed exactly this content.
 *
 * @param keys - public keys in base64url.
 */
export function isSignedBy(keys: readonly string[], signed: Signed<object>): boolean {
  const { signature, ...whole } = signed;
  if (!keys.includes(whole.key) || typeof signature !== 'string') return false;
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: whole.key }, format: 'jwk' });
    return verify(null, bytesOf(whole), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function bytesOf(content: object): Buffer {
  return Buffer.from(`${PURPOSE}\n${JSON.stringify(content)}`);
}
