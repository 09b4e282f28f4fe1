import { bucketFault, keyFault, prefixFault, providerFault, type DotSegments } from '../policy/model/name.ts';
import {
  bucketResource,
  objectResource,
  providerResource,
  type BucketResource,
  type ObjectResource,
  type ProviderResource,
} from '../policy/model/resource.ts';
import { refuseFault } from './invalid.ts';

/**
 * Makes the resource of a request from names that a client sent.
 *
 * Policy and storage both get this one value, so that they can never differ.
 *
 * @throws {SvcError} `invalid_request` when it cannot be the name of a provider.
 */
export function providerTarget(provider: string): ProviderResource {
  refuseFault('provider', providerFault(provider));
  return providerResource(provider);
}

/** @throws {SvcError} `invalid_request` when the provider or the bucket is not valid. */
export function bucketTarget(provider: string, bucket: string): BucketResource {
  providerTarget(provider);
  refuseFault('bucket', bucketFault(bucket));
  return bucketResource(provider, bucket);
}

/** Makes resources from keys and prefixes. Whether a key with `.` or `..` is refused depends on the storage provider. */
export class Targets {
  /** Whether a provider keeps keys with `.` and `..` apart. */
  readonly dotsOf: (provider: string) => DotSegments;

  constructor(dotsOf: (provider: string) => DotSegments) {
    this.dotsOf = dotsOf;
  }

  /** @throws {SvcError} `invalid_request` when one of the names is not valid. */
  object(provider: string, bucket: string, key: string): ObjectResource {
    bucketTarget(provider, bucket);
    refuseFault('key', keyFault(key, this.dotsOf(provider)));
    return objectResource(provider, bucket, key);
  }

  /** The scope of the keys that start with a prefix. @throws {SvcError} `invalid_request` when one of the names is not valid. */
  beneath(
    provider: string,
    bucket: string,
    prefix: string,
  ): { readonly provider: string; readonly bucket: string; readonly prefix: string } {
    bucketTarget(provider, bucket);
    refuseFault('prefix', prefixFault(prefix, this.dotsOf(provider)));
    return { provider, bucket, prefix };
  }
}
