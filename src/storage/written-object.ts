import type { ObjectRef, StorageProvider } from './provider.ts';

/** `etag` is as storage gives it, with its quotes. */
export type WrittenObject = { readonly etag: string };

/** The object that was written. Some storage leaves the ETag out when it has joined parts, and is then asked for it. */
export async function writtenObject(provider: StorageProvider, { bucket, key }: ObjectRef, etag: string | undefined): Promise<WrittenObject> {
  if (etag) return { etag };
  const { headers } = await provider.s3.send({ method: 'HEAD', bucket, key });
  return { etag: headers['etag'] ?? '' };
}
