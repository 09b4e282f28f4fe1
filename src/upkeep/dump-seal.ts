import { createCipheriv, createDecipheriv, randomBytes, scryptSync, type DecipherGCM } from 'node:crypto';
import { damaged } from './dump.ts';

const MAGIC = Buffer.from('svc state sealed 1\n');
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Each guess of a passphrase takes about a tenth of a second and 64 MiB. */
const COST = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 2 ** 20 } as const;

/** Whether a file is sealed, by its first bytes. */
export function isSealed(start: Buffer): boolean {
  return start.subarray(0, MAGIC.length).equals(MAGIC);
}

/** Encrypts a dump with AES-256-GCM. The key is derived from the passphrase with scrypt. */
export async function* seal(chunks: AsyncIterable<string>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(passphrase, salt, 32, COST), nonce, {
    authTagLength: TAG_BYTES,
  });
  const start = Buffer.concat([MAGIC, salt, nonce]);
  cipher.setAAD(start);
  yield start;
  for await (const chunk of chunks) yield cipher.update(chunk);
  yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a dump while it is read. It throws only at the end when the content was changed, so the caller must be able to undo its work with the parts. */
export async function* unseal(chunks: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const startBytes = MAGIC.length + SALT_BYTES + NONCE_BYTES;
  let decipher: DecipherGCM | undefined;
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    if (decipher === undefined && held.length >= startBytes) {
      const start = held.subarray(0, startBytes);
      const [salt, nonce] = [
        start.subarray(MAGIC.length, MAGIC.length + SALT_BYTES),
        start.subarray(MAGIC.length + SALT_BYTES),
      ];
      decipher = createDecipheriv('aes-256-gcm', scryptSync(passphrase, salt, 32, COST), nonce, {
        authTagLength: TAG_BYTES,
      }).setAAD(start);
      held = held.subarray(startBytes);
    }
    // The last bytes may be the authentication tag.
    if (decipher === undefined || held.length <= TAG_BYTES) continue;
    yield decipher.update(held.subarray(0, held.length - TAG_BYTES));
    held = held.subarray(held.length - TAG_BYTES);
  }
  if (decipher === undefined || held.length !== TAG_BYTES) throw damaged('is not whole; write it again');
  decipher.setAuthTag(held);
  try {
    decipher.final();
  } catch {
    throw damaged('was sealed with another passphrase, or is damaged');
  }
}
