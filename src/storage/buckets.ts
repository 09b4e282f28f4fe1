import type { Abortable, Provider } from './provider.ts';

/** `created_at` is RFC 3339, null where storage does not say. */
export type ListedBucket = { readonly name: string; readonly created_at: string | null };

/** The buckets that the credentials see, or those that the configuration names. */
export async function listBuckets(_provider: Provider, _options?: Abortable): Promise<ListedBucket[]> {
  throw new Error('to be built');
}

/** @throws {SvcError} `bucket_exists`. */
export async function createBucket(_provider: Provider, _bucket: string, _options?: Abortable): Promise<void> {
  throw new Error('to be built');
}

/** @throws {SvcError} `bucket_not_empty`, `not_found`. */
export async function deleteBucket(_provider: Provider, _bucket: string, _options?: Abortable): Promise<void> {
  throw new Error('to be built');
}
