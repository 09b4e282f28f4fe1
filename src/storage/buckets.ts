import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { timeOf } from './bucket-page.ts';
import type { Abortable, BucketRef, ProviderRef, StorageProvider } from './provider.ts';
import type { S3Request } from './s3/request.ts';
import { xmlText } from '../xml/text.ts';
import { isFault, mayBeDone, passOverGone } from './storage-error.ts';

/** `createdAt` is in RFC 3339, or null when storage does not give it. */
export type ListedBucket = { readonly name: string; readonly createdAt: string | null };

/** The maximum number of pages that are read, with ten thousand buckets each: far more than storage allows anyone. */
const MAX_PAGES = 100;

/** The buckets that the configuration names; when it names none, the buckets that storage lists for the credentials. */
export async function listBuckets({ provider }: Permitted<ProviderRef>, options?: Abortable): Promise<ListedBucket[]> {
  if (provider.buckets !== undefined) return provider.buckets.map((name) => ({ name, createdAt: null }));
  const buckets = new Map<string, ListedBucket>();
  /** Storage without paging returns the same page and token again. */
  const asked = new Set<string>();
  for (let token = ''; !asked.has(token) && asked.size < MAX_PAGES;) {
    asked.add(token);
    const query = { 'continuation-token': token || undefined };
    const { fields, items } = await provider.s3
      .ask({ method: 'GET', query }, 'ListAllMyBucketsResult', options)
      .catch((error: unknown) => {
        if (!isFault(error, 'AccessDenied')) throw error;
        throw new SvcError('storage_unavailable', {
          detail: `the credentials of storage provider \`${provider.name}\` may not list its buckets; name the buckets in its \`buckets\``,
          cause: error,
        });
      });
    for (const { name: element, fields: of } of items) {
      if (element === 'Bucket' && of['Name'])
        buckets.set(of['Name'], { name: of['Name'], createdAt: timeOf(of['CreationDate']) ?? null });
    }
    token = fields['ContinuationToken'] ?? '';
  }
  return [...buckets.values()];
}

/**
 * Creates a bucket.
 *
 * Asks storage first whether the name is taken, because some storage answers the second creation of a bucket with success.
 *
 * @throws {SvcError} `bucket_exists`, also when somebody else owns it; `conflict` when the configuration names the buckets and this is none of them, because
 *   nobody would see it.
 */
export async function createBucket({ provider, bucket }: Permitted<BucketRef>, options?: Abortable): Promise<void> {
  if (provider.buckets?.includes(bucket) === false) {
    throw new SvcError('conflict', {
      detail: `storage provider \`${provider.name}\` shows chosen buckets only, and \`${bucket}\` is none of them; ask an administrator to add it`,
    });
  }
  if (await isTaken(provider, bucket, options))
    throw new SvcError('bucket_exists', { detail: `the bucket \`${bucket}\` exists already; choose another name` });
  const create = (more: Pick<S3Request, 'body'>) => provider.s3.send({ method: 'PUT', bucket, ...more }, options);
  try {
    await create({ body: locationOf(provider) }).catch((error: unknown) => {
      if (!isFault(error, 'InvalidLocationConstraint')) throw error;
      // Storage with a single, unnamed region accepts the request without a location.
      return create({});
    });
  } catch (error) {
    if (!isFault(error, 'BucketAlreadyOwnedByYou') || !mayBeDone(error)) throw error;
  }
}

/** @throws {SvcError} `bucket_not_empty`, `not_found`. */
export async function deleteBucket({ provider, bucket }: Permitted<BucketRef>, options?: Abortable): Promise<void> {
  await provider.s3.send({ method: 'DELETE', bucket }, options).catch(passOverGone);
}

/** @throws {SvcError} `not_found`: storage has no such bucket. */
export async function headBucket({ provider, bucket }: Permitted<BucketRef>, options?: Abortable): Promise<void> {
  await provider.s3.send({ method: 'HEAD', bucket }, options);
}

/** Whether our credentials can see the bucket. If storage refuses to answer, its answer to the creation decides. */
async function isTaken(provider: StorageProvider, bucket: string, options: Abortable | undefined): Promise<boolean> {
  try {
    await provider.s3.send({ method: 'HEAD', bucket }, options);
    return true;
  } catch (error) {
    if (
      codeOf(error) === 'not_found' ||
      isFault(error, 'AccessDenied', 403) ||
      isFault(error, 'PermanentRedirect', 301)
    )
      return false;
    throw error;
  }
}

/** The location `us-east-1`, Amazon's first region, must not be named. */
function locationOf({ region }: StorageProvider): Buffer {
  const location = region === 'us-east-1' ? '' : `<LocationConstraint>${xmlText(region)}</LocationConstraint>`;
  return Buffer.from(
    location &&
      `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${location}</CreateBucketConfiguration>`,
  );
}
