import { SvcError } from '../errors/svc-error.ts';
import { bucketFault, keyFault, prefixFault } from '../policy/name.ts';
import type { ObjectRef, StorageProvider } from './provider.ts';

type Names = { readonly bucket: string; readonly keys?: readonly string[]; readonly prefixes?: readonly string[] };

/**
 * Refuses names that could address anything but the resource that policy was asked about, such as a bucket `..`.
 *
 * Names are checked by the same rule before policy is asked. Storage checks them again, because a name that slipped through would
 * reach a bucket or key that policy was never asked about.
 *
 * @throws {SvcError} `invalid_request`.
 */
export function checkNames({ dotSegments }: StorageProvider, { bucket, keys = [], prefixes = [] }: Names): void {
  refuse('bucket', bucketFault(bucket));
  for (const key of keys) refuse('key', keyFault(key, dotSegments));
  for (const prefix of prefixes) refuse('prefix', prefixFault(prefix, dotSegments));
}

/** @throws {SvcError} `invalid_request`. */
export function checkObject(provider: StorageProvider, { bucket, key }: ObjectRef): void {
  checkNames(provider, { bucket, keys: [key] });
}

function refuse(path: string, message: string | undefined): void {
  if (message !== undefined) throw new SvcError('invalid_request', { detail: `${path}: ${message}`, members: { errors: [{ path, message }] } });
}
