import { createHmac, randomBytes } from 'node:crypto';
import { areEqual } from '../secret/secret.ts';

/** The prefix of an access key id. */
const PREFIX = 'SVC';
const RANDOM_CHARACTERS = 10;
const TAG_CHARACTERS = 7;
const SECRET_CHARACTERS = 40;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ACCESS_KEY_ID = new RegExp(`^${PREFIX}[A-Z2-7]{${RANDOM_CHARACTERS + TAG_CHARACTERS}}$`);

/** A new access key id: 50 random bits, and 35 bits of their HMAC by which a forged one is told without a look-up. */
export function newAccessKeyId(secret: string): string {
  const random = base32(randomBytes(RANDOM_CHARACTERS), RANDOM_CHARACTERS);
  return PREFIX + random + tagOf(random, secret);
}

/** Whether a text has the form of an access key id. */
export function isAccessKeyId(text: string): boolean {
  return ACCESS_KEY_ID.test(text);
}

/** Whether an access key id was made with one of the secrets. */
export function isGenuine(accessKeyId: string, secrets: readonly string[]): boolean {
  if (!isAccessKeyId(accessKeyId)) return false;
  const tagAt = PREFIX.length + RANDOM_CHARACTERS;
  const [random, tag] = [accessKeyId.slice(PREFIX.length, tagAt), accessKeyId.slice(tagAt)];
  return secrets.some((secret) => areEqual(tagOf(random, secret), tag));
}

/** The secret of a key: 240 bits that nobody can compute without the service's secret. `revision` is what the state database holds. */
export function secretAccessKeyOf(accessKeyId: string, revision: Uint8Array, secret: string): string {
  return createHmac('sha256', secret)
    .update(`svc s3 secret access key\n${accessKeyId}\n`)
    .update(revision)
    .digest('base64url')
    .slice(0, SECRET_CHARACTERS);
}

function tagOf(random: string, secret: string): string {
  return base32(createHmac('sha256', secret).update(`svc s3 access key id\n${random}`).digest(), TAG_CHARACTERS);
}

/** Five bits of each byte. */
function base32(bytes: Uint8Array, length: number): string {
  return Array.from(bytes.subarray(0, length), (byte) => BASE32[byte & 31]).join('');
}
