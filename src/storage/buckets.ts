import { CreateBucketCommand, DeleteBucketCommand, HeadBucketCommand, ListBucketsCommand } from '@aws-sdk/client-s3';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { checkBucket } from './address.ts';
import { ask } from './ask.ts';
import type { Abortable, StorageProvider } from './provider.ts';
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
    const ContinuationToken = token;
    const output = await ask(provider, options, (send) => provider.client.send(new ListBucketsCommand({ ContinuationToken }), send)).catch((error: unknown) => {
      throw isFault(causeOf(error), 'AccessDenied') ? notAllowedToList(provider, error) : error;
    });
    for (const { Name, CreationDate } of output.Buckets ?? []) {
      if (Name !== undefined) buckets.set(Name, { name: Name, createdAt: CreationDate?.toISOString() ?? null });
    }
    token = output.ContinuationToken;
    if (!token || tokens.has(token) || tokens.size >= MAX_PAGES) return [...buckets.values()];
    tokens.add(token);
  }
}

/**
 * Creates a bucket.
 *
 * Storage is asked first whether the name is taken, because some storage answers a second creation of a bucket with success.
 *
 * @throws {SvcError} `bucket_exists`, also when it is somebody else's.
 */
export async function createBucket(provider: StorageProvider, bucket: string, options?: Abortable): Promise<void> {
  checkBucket(bucket);
  if (await isTaken(provider, bucket, options)) throw new SvcError('bucket_exists', { detail: `the bucket \`${bucket}\` exists already; choose another name` });
  try {
    await ask(provider, options, (send) => provider.client.send(new CreateBucketCommand({ Bucket: bucket }), send));
  } catch (error) {
    if (!isFault(causeOf(error), 'InvalidLocationConstraint')) throw error;
    // The SDK names the region; storage with a single, nameless one takes the request without it.
    await ask(provider, options, (send) => provider.client.send(createWhereverItIs(bucket), send));
  }
}

/** @throws {SvcError} `bucket_not_empty`, `not_found`. */
export async function deleteBucket(provider: StorageProvider, bucket: string, options?: Abortable): Promise<void> {
  checkBucket(bucket);
  await ask(provider, options, (send) => provider.client.send(new DeleteBucketCommand({ Bucket: bucket }), send));
}

/** Whether our credentials see the bucket. When storage refuses to say, its answer to the creation decides. */
async function isTaken(provider: StorageProvider, bucket: string, options: Abortable | undefined): Promise<boolean> {
  try {
    await ask(provider, options, (send) => provider.client.send(new HeadBucketCommand({ Bucket: bucket }), send));
    return true;
  } catch (error) {
    if (codeOf(error) === 'not_found' || isRefusal(error) || isFault(causeOf(error), 'PermanentRedirect', 301)) return false;
    throw error;
  }
}

function createWhereverItIs(bucket: string): CreateBucketCommand {
  const command = new CreateBucketCommand({ Bucket: bucket });
  command.middlewareStack.add((next) => (args) => next({ ...args, input: { Bucket: bucket } }), { step: 'initialize', priority: 'low', name: 'noLocation' });
  return command;
}

function isRefusal(error: unknown): boolean {
  return isFault(causeOf(error), 'AccessDenied', 403);
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
}

function notAllowedToList(provider: StorageProvider, cause: unknown): SvcError {
  return new SvcError('storage_unavailable', {
    detail: `the credentials of storage provider \`${provider.name}\` may not list its buckets; name the buckets in its \`buckets\``,
    cause,
  });
}
