import { bucketResource, objectResource, providerResource, type BucketResource, type ObjectResource, type ProviderResource } from '../policy/resource.ts';
import { isBucketName, isObjectKey } from '../policy/name.ts';
import { invalidRequest } from './invalid.ts';

/**
 * Makes the resource of a request from names that a client sent.
 *
 * The resource is given to policy and then to storage: one value, so that the two can never differ.
 */
export function providerTarget(provider: string): ProviderResource {
  return providerResource(provider);
}

/** @throws {SvcError} `invalid_request` when it is not a valid S3 bucket name. */
export function bucketTarget(provider: string, bucket: string): BucketResource {
  if (!isBucketName(bucket)) throw invalidRequest({ path: 'bucket', message: 'not a valid bucket name: 3 to 63 of a-z, 0-9, `-` and `.`, beginning and ending with a letter or digit' });
  return bucketResource(provider, bucket);
}

/** @throws {SvcError} `invalid_request` when the bucket or the key is not valid. */
export function objectTarget(provider: string, bucket: string, key: string): ObjectResource {
  bucketTarget(provider, bucket);
  if (!isObjectKey(key)) throw invalidRequest({ path: 'key', message: 'not a valid object key: 1 to 1024 bytes of UTF-8' });
  return objectResource(provider, bucket, key);
}
