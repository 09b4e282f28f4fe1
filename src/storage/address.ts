import { SvcError } from '../errors/svc-error.ts';
import { bucketFault, keyFault, prefixFault } from '../policy/name.ts';
import type { ObjectRef, StorageProvider } from './provider.ts';

/**
 * Refuses bucket names that could address anything but the resource that policy was asked about, such as `..`.
 *
 * Names are checked by the same rule before policy is asked. Storage checks them again, because a name that slipped through would
 * reach a bucket or key that policy was never asked about.
 *
 * @throws {SvcError} `invalid_request`.
 */
export function checkBucket(bucket: string): void {
  refuse('bucket', bucketFault(bucket));
}

/** @throws {SvcError} `invalid_request`. */
export function checkKey({ dotSegments }: StorageProvider, key: string): void {
  refuse('key', keyFault(key, dotSegments));
}

/** @throws {SvcError} `invalid_request`. */
export function checkPrefix({ dotSegments }: StorageProvider, prefix: string): void {
  refuse('prefix', prefixFault(prefix, dotSegments));
}

/** @throws {SvcError} `invalid_request`. */
export function checkObject(provider: StorageProvider, { bucket, key }: ObjectRef): void {
  checkBucket(bucket);
  checkKey(provider, key);
}

function refuse(path: string, message: string | undefined): void {
  if (message !== undefined) throw new SvcError('invalid_request', { detail: `${path}: ${message}`, members: { errors: [{ path, message }] } });
}
