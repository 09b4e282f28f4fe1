import type { ConditionalWrite, ObjectRef, StorageProvider } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import { xmlText } from './s3/xml.ts';
import { isFault, storageError } from './storage-error.ts';

/** An upload id is valid only for the key that it was made for, so storage is always told both. */
export type UploadRef = ObjectRef & { readonly id: string };

/** A part as storage names it; `etag` comes from the answer to the part. */
export type GivenPart = { readonly number: number; readonly etag: string };

export const MAX_PARTS = 10_000;
/** The pauses before further attempts to drop an upload: storage that fails is often well again soon. */
const PAUSES_MS = [1_000, 10_000, 60_000];

/**
 * Begins an upload, and drops it with its parts when the work with it fails. It is begun though the client leaves, because nobody could drop an
 * upload whose id is not known. Without an id, a part would be written as an object, and dropping the parts would delete it.
 *
 * @param headers - of the object: its content type and what is kept with it.
 * @throws {SvcError} also where storage gives no id.
 */
export async function inUpload<T>(provider: StorageProvider, { bucket, key }: ObjectRef, headers: Readonly<Record<string, string | undefined>>, work: (upload: UploadRef) => Promise<T>): Promise<T> {
  const { fields } = await provider.s3.ask({ method: 'POST', bucket, key, query: { uploads: '' }, headers }, 'InitiateMultipartUploadResult');
  const id = fields['UploadId'] ?? '';
  if (id === '') throw storageError(provider.name, new Error('an upload without an id'));
  const upload = { bucket, key, id };
  try {
    return await work(upload);
  } catch (error) {
    await dropUpload(provider, upload, PAUSES_MS);
    throw error;
  }
}

/**
 * Sends parts, several at once, and waits for all of them. The first failure aborts `failed`, after which no other part is begun, and is thrown at the end.
 *
 * @param send - gives the ETag of the part.
 */
export async function sendParts<T>(pieces: AsyncIterator<T, void> | Iterator<T, void>, atOnce: number, failed: AbortController, send: (piece: T, number: number) => Promise<string | undefined>): Promise<GivenPart[]> {
  const parts: GivenPart[] = [];
  let count = 0;
  const work = async (): Promise<void> => {
    for (let step = await pieces.next(); !step.done && !failed.signal.aborted; step = await pieces.next()) {
      const number = ++count;
      parts[number - 1] = { number, etag: (await send(step.value, number)) ?? '' };
    }
  };
  await Promise.all(Array.from({ length: atOnce }, () => work().catch((error: unknown) => failed.abort(error))));
  failed.signal.throwIfAborted();
  return parts;
}

export function partQuery({ id }: UploadRef, number: number): Record<string, string> {
  return { partNumber: String(number), uploadId: id };
}

/** Joins the parts into the object. @returns its ETag, where storage says it. */
export async function joinParts(provider: StorageProvider, { bucket, key, id }: UploadRef, parts: readonly GivenPart[], { signal, ifNoneMatchAny }: ConditionalWrite): Promise<string | undefined> {
  const named = parts.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`).join('');
  const body = Buffer.from(`<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${named}</CompleteMultipartUpload>`);
  const headers = { 'content-type': 'application/xml', 'if-none-match': ifNoneMatchAny ? '*' : undefined };
  const { fields } = await provider.s3.ask({ method: 'POST', bucket, key, query: { uploadId: id }, headers, body }, 'CompleteMultipartUploadResult', { signal, deadlineMs: LONG_WORK_MS });
  const etag = fields['ETag'];
  // Ceph leaves the quotes out of this answer only.
  return etag === undefined || etag === '' || etag.startsWith('"') ? etag : `"${etag}"`;
}

/** Drops an upload and its parts, which nobody would find later. When that fails, further attempts follow in the background. */
async function dropUpload(provider: StorageProvider, upload: UploadRef, [pause, ...later]: readonly number[]): Promise<void> {
  try {
    await provider.s3.send({ method: 'DELETE', bucket: upload.bucket, key: upload.key, query: { uploadId: upload.id } });
  } catch (error) {
    if (pause !== undefined && !isFault(error, 'NoSuchUpload')) setTimeout(() => void dropUpload(provider, upload, later), pause).unref();
  }
}
