import { codeOf, SvcError } from '../errors/svc-error.ts';
import { checkBucket } from './address.ts';
import type { Abortable, StorageProvider } from './provider.ts';
import { xmlText } from './s3/xml.ts';
import { isFault } from './storage-error.ts';

/** `createdAt` is RFC 3339, null where storage does not say. */
export type ListedBucket = { readonly name: string; readonly createdAt: string | null };

/** How many pages are read, of ten thousand buckets each: far more than storage lets anyone have. */
const MAX_PAGES = 100;

/** The buckets that the configuration names; when it names none, the buckets that storage lists for the credentials. */
export async function listBuckets(provider: StorageProvider, options?: Abortable): Promise<ListedBucket[]> {
  if (provider.buckets !== undefined) return provider.buckets.map((name) => ({ name, createdAt: null }));
  const buckets = new Map<string, ListedBucket>();
  /** Storage that does not know pages returns the same page with the same token again. */
  const tokens = new Set<string>();
  let token: string | undefined;
  for (;;) {
    const query = { 'continuation-token': token };
    const { fields, items } = await provider.s3.ask({ method: 'GET', query }, 'ListAllMyBucketsResult', options).catch((error: unknown) => {
      throw isFault(error, 'AccessDenied') ? notAllowedToList(provider, error) : error;
    });
    for (const { name: element, fields: of } of items) {
      if (element === 'Bucket' && of['Name']) buckets.set(of['Name'], { name: of['Name'], createdAt: timeOf(of['CreationDate']) });
    }
    token = fields['ContinuationToken'];
    if (!token || tokens.has(token) || tokens.size >= MAX_PAGES) return [...buckets.values()];
    tokens.add(token);
  }
}

/**
 * Creates a bucket.
 *
 * Storage is asked first whether the name is taken, because some storage answers a second creation of a bucket with success.
 *
 * @throws {SvcError} `bucket_exists`, also when it is somebody else's; `conflict` when the configuration names the buckets and this is none of them, because nobody would see it.
 */
export async function createBucket(provider: StorageProvider, bucket: string, options?: Abortable): Promise<void> {
  checkBucket(bucket);
  if (provider.buckets?.includes(bucket) === false) throw notShown(provider, bucket);
  if (await isTaken(provider, bucket, options)) throw new SvcError('bucket_exists', { detail: `the bucket \`${bucket}\` exists already; choose another name` });
  try {
    await provider.s3.send({ method: 'PUT', bucket, body: locationOf(provider) }, options);
  } catch (error) {
    if (!isFault(error, 'InvalidLocationConstraint')) throw error;
    // Storage with a single, nameless region takes the request without one.
    await provider.s3.send({ method: 'PUT', bucket }, options);
  }
}

/** @throws {SvcError} `bucket_not_empty`, `not_found`. */
export async function deleteBucket(provider: StorageProvider, bucket: string, options?: Abortable): Promise<void> {
  checkBucket(bucket);
  await provider.s3.send({ method: 'DELETE', bucket }, options);
}

/** Whether our credentials see the bucket. When storage refuses to say, its answer to the creation decides. */
async function isTaken(provider: StorageProvider, bucket: string, options: Abortable | undefined): Promise<boolean> {
  try {
    await provider.s3.send({ method: 'HEAD', bucket }, options);
    return true;
  } catch (error) {
    if (codeOf(error) === 'not_found' || isRefusal(error) || isFault(error, 'PermanentRedirect', 301)) return false;
    throw error;
  }
}

/** Amazon's first region must not be named. */
function locationOf({ region }: StorageProvider): Buffer {
  const location = region === 'us-east-1' ? '' : `<LocationConstraint>${xmlText(region)}</LocationConstraint>`;
  return Buffer.from(location && `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${location}</CreateBucketConfiguration>`);
}

function timeOf(text = ''): string | null {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

function isRefusal(error: unknown): boolean {
  return isFault(error, 'AccessDenied', 403);
}

function notShown({ name }: StorageProvider, bucket: string): SvcError {
  return new SvcError('conflict', { detail: `storage provider \`${name}\` shows chosen buckets only, and \`${bucket}\` is none of them; ask an administrator to add it` });
}

function notAllowedToList(provider: StorageProvider, cause: unknown): SvcError {
  return new SvcError('storage_unavailable', {
    detail: `the credentials of storage provider \`${provider.name}\` may not list its buckets; name the buckets in its \`buckets\``,
    cause,
  });
}
