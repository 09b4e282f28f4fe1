import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

const KEY_BYTES = 32;
const ID_BYTES = 16;
const TAG_BYTES = 16;

/** Each derived key seals only one text, so the nonce need not differ. */
const GCM_NONCE = Buffer.alloc(12);

/** A random key that only this process knows. Texts that it seals cannot be opened after the process has stopped. */
export function randomSealingKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Derives the key for a purpose. Every instance with the same secret gets the same key. */
export function sealingKeyFromSecret(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}

export type Sealed = {
  /** 16 random bytes, different for each text. */
  readonly id: Buffer;
  /** base64url of id, tag and ciphertext. */
  readonly text: string;
  readonly content: Buffer;
  /** Derives 32 bytes from this text's id and a label. They cannot be found without the sealing key. */
  readonly derive: (label: string) => Buffer;
};

/**
 * Seals content that clients store and send back; they can neither read nor change it. Uses AES-256-GCM with a key that is derived from the id of each text.
 */
export class Sealer {
  #keys: readonly KeyObject[];
  readonly #purpose: string;

  /**
   * @param keys - 32 bytes each. The first key seals; every key opens.
   * @param purpose - a text that was sealed for one purpose cannot be opened for another.
   */
  constructor(keys: readonly Buffer[], purpose: string) {
    this.#keys = keyObjects(keys);
    this.#purpose = purpose;
  }

  /** Replaces the keys. */
  replaceKeys(keys: readonly Buffer[]): void {
    this.#keys = keyObjects(keys);
  }

  /** @param boundTo - a label that is not part of the text. The text opens only with the same label. */
  seal(content: Buffer, boundTo = ''): Sealed {
    const id = randomBytes(ID_BYTES);
    const derive = this.#derive(this.#keys[0]!, id);
    const cipher = createCipheriv('aes-256-gcm', keyOf(derive), GCM_NONCE, { authTagLength: TAG_BYTES }).setAAD(
      Buffer.from(boundTo),
    );
    const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
    return { id, text: Buffer.concat([id, cipher.getAuthTag(), sealed]).toString('base64url'), content, derive };
  }

  /** Opens a text; undefined unless one of the keys sealed exactly this text with the same label. */
  open(text: string, boundTo = ''): Sealed | undefined {
    const bytes = Buffer.from(text, 'base64url');
    // Node ignores characters that are not base64url, so only the canonical form is accepted.
    if (bytes.length < ID_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return undefined;
    const id = bytes.subarray(0, ID_BYTES);
    for (const key of this.#keys) {
      const derive = this.#derive(key, id);
      const content = decrypt(
        keyOf(derive),
        boundTo,
        bytes.subarray(ID_BYTES, ID_BYTES + TAG_BYTES),
        bytes.subarray(ID_BYTES + TAG_BYTES),
      );
      if (content !== undefined) return { id, text, content, derive };
    }
    return undefined;
  }

  #derive(key: KeyObject, id: Buffer): (label: string) => Buffer {
    return (label) => createHmac('sha256', key).update(`${this.#purpose} ${label}\0`).update(id).digest();
  }
}

/** A key object, because Node tells a buffer from one by errors that it throws and catches, which take longer than the cipher. */
function keyOf(derive: (label: string) => Buffer): KeyObject {
  return createSecretKey(derive('seal'));
}

function keyObjects(keys: readonly Buffer[]): KeyObject[] {
  if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES))
    throw new Error(`sealing keys are ${KEY_BYTES} bytes, and there is at least one`);
  return keys.map((key) => createSecretKey(key));
}

function decrypt(key: KeyObject, boundTo: string, tag: Buffer, sealed: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, GCM_NONCE, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(boundTo),
  );
  decipher.setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(sealed), decipher.final()]);
  } catch {
    return undefined;
  }
}
