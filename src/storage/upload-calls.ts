import { setTimeout as wait } from 'node:timers/promises';
import type { Abortable, ObjectRef, StorageProvider } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import { xmlText } from './s3/xml.ts';
import { isFault, storageError } from './storage-error.ts';

/** An upload id is valid only for the key that it was made for, so storage is always told both. */
export type UploadRef = ObjectRef & { readonly id: string };

/** A part as storage names it; `etag` comes from the answer to the part. */
export type GivenPart = { readonly number: number; readonly etag: string };

/** The pauses before further attempts to drop an upload: storage that fails is often well again soon. */
const PAUSES_MS = [1_000, 10_000, 60_000];

/**
 * Begins an upload. It is waited for though the client leaves, because nobody could drop an upload whose id is not known. Without an id, a part
 * would be written as an object, and dropping the parts would delete it.
 *
 * @param headers - of the object: its content type and what is kept with it.
 * @throws {SvcError} also where storage gives no id.
 */
export async function createUpload(provider: StorageProvider, { bucket, key }: ObjectRef, headers: Readonly<Record<string, string | undefined>>): Promise<UploadRef> {
  const { fields } = await provider.s3.ask({ method: 'POST', bucket, key, query: { uploads: '' }, headers }, 'InitiateMultipartUploadResult');
  const id = fields['UploadId'] ?? '';
  if (id === '') throw storageError(provider.name, new Error('an upload without an id'));
  return { bucket, key, id };
}

export function partQuery({ id }: UploadRef, number: number): Record<string, string> {
  return { partNumber: String(number), uploadId: id };
}

/** Joins the parts into the object. @returns its ETag, where storage says it. */
export async function joinParts(provider: StorageProvider, { bucket, key, id }: UploadRef, parts: readonly GivenPart[], ifNoneMatchAny: boolean, { signal }: Abortable): Promise<string | undefined> {
  const named = parts.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`).join('');
  const body = Buffer.from(`<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${named}</CompleteMultipartUpload>`);
  const headers = { 'content-type': 'application/xml', 'if-none-match': ifNoneMatchAny ? '*' : undefined };
  const { fields } = await provider.s3.ask({ method: 'POST', bucket, key, query: { uploadId: id }, headers, body }, 'CompleteMultipartUploadResult', { signal, deadlineMs: LONG_WORK_MS });
  const etag = fields['ETag'];
  // Ceph leaves the quotes out of this answer only.
  return etag === undefined || etag === '' || etag.startsWith('"') ? etag : `"${etag}"`;
}

/**
 * Drops an upload and its parts, which nobody would find later. When the first attempt fails, further ones follow in the background.
 *
 * @throws what the first attempt threw.
 */
export async function dropUpload(provider: StorageProvider, upload: UploadRef): Promise<void> {
  try {
    await abortOnce(provider, upload, {});
  } catch (error) {
    void dropLater(provider, upload);
    throw error;
  }
}

export async function abortOnce(provider: StorageProvider, { bucket, key, id }: UploadRef, { signal }: Abortable): Promise<void> {
  await provider.s3.send({ method: 'DELETE', bucket, key, query: { uploadId: id } }, { signal });
}

async function dropLater(provider: StorageProvider, upload: UploadRef): Promise<void> {
  for (const pause of PAUSES_MS) {
    await wait(pause, undefined, { ref: false });
    const failure = await abortOnce(provider, upload, {}).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined || isFault(failure, 'NoSuchUpload')) return;
  }
}
