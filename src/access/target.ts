import { bucketFault, keyFault, prefixFault, type DotSegments } from '../policy/name.ts';
import { bucketResource, objectResource, providerResource, type BucketResource, type ObjectResource, type ProviderResource } from '../policy/resource.ts';
import { refuseFault } from './invalid.ts';

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
  refuseFault('bucket', bucketFault(bucket));
  return bucketResource(provider, bucket);
}

/** Makes resources from keys and prefixes. Whether a key with `.` or `..` is refused depends on the storage provider. */
export class Targets {
  readonly #keeping: ReadonlySet<string>;

  /** @param keeping - the providers that keep keys with `.` and `..` apart. */
  constructor(keeping: Iterable<string>) {
    this.#keeping = new Set(keeping);
  }

  /** @throws {SvcError} `invalid_request` when the bucket or the key is not valid. */
  object(provider: string, bucket: string, key: string): ObjectResource {
    bucketTarget(provider, bucket);
    refuseFault('key', keyFault(key, this.dotsOf(provider)));
    return objectResource(provider, bucket, key);
  }

  /** The scope of the keys that start with a prefix. @throws {SvcError} `invalid_request` when the bucket or the prefix is not valid. */
  beneath(provider: string, bucket: string, prefix: string): { readonly provider: string; readonly bucket: string; readonly prefix: string } {
    bucketTarget(provider, bucket);
    refuseFault('prefix', prefixFault(prefix, this.dotsOf(provider)));
    return { provider, bucket, prefix };
  }

  dotsOf(provider: string): DotSegments {
    return this.#keeping.has(provider) ? 'keep' : 'refuse';
  }
}
