import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { decodeLogin, encodeLogin, type PendingLogin } from './pending-login.ts';

const KEY_BYTES = 32;
const ID_BYTES = 16;
const TAG_BYTES = 16;

/** Each derived key seals one login and nothing else, so the nonce need not differ. */
const GCM_NONCE = Buffer.alloc(12);

/** A login with everything that is derived from its id. */
export type SealedLogin = {
  readonly id: string;
  /** The `state` parameter: the login itself, sealed. */
  readonly state: string;
  /** PKCE `code_verifier`. */
  readonly verifier: string;
  readonly nonce: string;
  readonly login: PendingLogin;
};

/** A key that this process alone knows: unfinished logins are lost when it stops. */
export function randomSealingKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** The key that every instance with the same session secret has, so that any of them can finish a login. */
export function sealingKeyFromSecret(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'svc pending logins', KEY_BYTES));
}

/**
 * Seals pending logins into the `state` parameter, so that a visit to the login route costs no memory and can push nothing out.
 *
 * `state` is base64url of id, tag and ciphertext: AES-256-GCM under a key derived from the id. PKCE verifier and nonce are derived from
 * the id too, under labels of their own; none of them can be found without a sealing key.
 */
export class Seal {
  readonly #keys: readonly KeyObject[];

  /** @param keys - 32 bytes each. The first seals, all open. */
  constructor(keys: readonly Buffer[]) {
    if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES)) throw new Error(`sealing keys are ${KEY_BYTES} bytes, and there is at least one`);
    this.#keys = keys.map((key) => createSecretKey(key));
  }

  seal(login: PendingLogin): SealedLogin {
    const key = this.#keys[0]!;
    const id = randomBytes(ID_BYTES);
    const cipher = createCipheriv('aes-256-gcm', derive(key, 'seal', id), GCM_NONCE, { authTagLength: TAG_BYTES });
    const sealed = Buffer.concat([cipher.update(encodeLogin(login), 'utf8'), cipher.final()]);
    return known(key, id, Buffer.concat([id, cipher.getAuthTag(), sealed]).toString('base64url'), login);
  }

  /** Undefined unless one of the keys sealed exactly this. */
  open(state: string): SealedLogin | undefined {
    const bytes = Buffer.from(state, 'base64url');
    // Node skips what is not base64url: only the one way to write it counts.
    if (bytes.length <= ID_BYTES + TAG_BYTES || bytes.toString('base64url') !== state) return undefined;
    const id = bytes.subarray(0, ID_BYTES);
    for (const key of this.#keys) {
      const text = decrypt(derive(key, 'seal', id), bytes.subarray(ID_BYTES, ID_BYTES + TAG_BYTES), bytes.subarray(ID_BYTES + TAG_BYTES));
      if (text !== undefined) return known(key, id, state, decodeLogin(text));
    }
    return undefined;
  }
}

function known(key: KeyObject, id: Buffer, state: string, login: PendingLogin): SealedLogin {
  const secret = (label: string): string => derive(key, label, id).toString('base64url');
  return { id: id.toString('base64url'), state, verifier: secret('verifier'), nonce: secret('nonce'), login };
}

function derive(key: KeyObject, label: string, id: Buffer): Buffer {
  return createHmac('sha256', key).update(`svc login 1 ${label}\0`).update(id).digest();
}

function decrypt(key: Buffer, tag: Buffer, sealed: Buffer): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, GCM_NONCE, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
