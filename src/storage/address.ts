import { SvcError } from '../errors/svc-error.ts';
import type { ObjectRef } from './provider.ts';

const MAX_KEY_BYTES = 1024;
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const LOOKS_LIKE_AN_IP_ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * Refuses a name that could address anything but one bucket, such as `..`.
 *
 * The transports have checked it before policy was asked; storage checks again, because a name that is not a name would
 * reach a place that policy was never asked about.
 *
 * @throws {SvcError} `invalid_request`.
 */
export function checkBucket(bucket: string): void {
  if (!BUCKET_NAME.test(bucket) || bucket.includes('..') || LOOKS_LIKE_AN_IP_ADDRESS.test(bucket)) {
    throw new SvcError('invalid_request', { detail: `\`${bucket}\` is not a bucket name: use 3 to 63 lower-case letters, digits, dots and hyphens` });
  }
}

/** @throws {SvcError} `invalid_request`: an empty key would address the bucket itself. */
export function checkKey(key: string): void {
  if (key === '') throw new SvcError('invalid_request', { detail: 'the object key is empty' });
  if (!key.isWellFormed()) throw new SvcError('invalid_request', { detail: 'the object key holds half of a surrogate pair' });
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw new SvcError('invalid_request', { detail: `the object key is longer than ${MAX_KEY_BYTES} bytes of UTF-8` });
}

export function checkObject({ bucket, key }: ObjectRef): void {
  checkBucket(bucket);
  checkKey(key);
}
