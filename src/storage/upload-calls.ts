import { hash } from 'node:crypto';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { headOf, sendConditionally } from './conditions.ts';
import type { Abortable, ConditionalWrite, ObjectRef } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import { xmlText } from '../xml/text.ts';
import { isFault, storageError, mayBeDone } from './storage-error.ts';
import { storageIdOf } from './upload-tags.ts';

/** A part as storage names it. `etag` comes from the answer to the part. */
export type GivenPart = { readonly number: number; readonly etag: string };

export const MAX_PARTS = 10_000;
/** Storage gives ids of a few hundred characters. With a key of 1,024 bytes, an id of so many still makes a name that Ceph can have. */
const MAX_ID_CHARACTERS = 900;
/** The pauses before further attempts to abort an upload: a fault of storage is often gone soon. */
const PAUSES_MS = [1_000, 10_000, 60_000];

/**
 * Begins an upload, and aborts it with its parts when the work with it fails. A disconnect of the client does not stop the beginning, because nobody could
 * abort an upload whose id is unknown. With an empty id, a part would be written as an object, and aborting would delete it.
 *
 * @param headers - of the object: its content type and the headers stored with it.
 * @throws {SvcError} also when storage returns no id.
 */
export async function inUpload<T>(
  object: ObjectRef,
  headers: Readonly<Record<string, string | undefined>>,
  work: (id: string) => Promise<T>,
): Promise<T> {
  const { provider, bucket, key } = object;
  const { fields } = await provider.s3.ask(
    { method: 'POST', bucket, key, query: { uploads: '' }, headers },
    'InitiateMultipartUploadResult',
  );
  const id = fields['UploadId'] ?? '';
  if (id === '') throw storageError(provider.name, new Error('an upload without an id'));
  try {
    return await work(id);
  } catch (error) {
    await dropUpload(object, id, PAUSES_MS);
    throw error;
  }
}

/**
 * Sends several parts at once and waits for all of them. The first failure aborts `failed`; no further part is begun after it, and it is thrown at the end.
 *
 * @param send - returns the ETag of the part.
 */
export async function sendParts<T>(
  pieces: AsyncIterator<T, void> | Iterator<T, void>,
  atOnce: number,
  failed: AbortController,
  send: (piece: T, number: number) => Promise<string | undefined>,
): Promise<GivenPart[]> {
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

export function partQuery(id: string, number: number): Record<string, string> {
  return { partNumber: String(number), ...uploadQuery(id) };
}

/**
 * The part of a request that names an upload. Ceph keeps the upload `2~x` of `a.b` under the name `a.b.2~x`, and would take it for the upload `b.2~x` of `a`, about
 * which policy was asked. MinIO decodes an id and joins it to the path of its key. With an empty id, storage takes the request for one about the object itself, and
 * deletes it in place of the upload. Of a much longer one, Ceph says that it failed itself. No storage gives such ids.
 *
 * @throws {SvcError} `not_found`
 */
export function uploadQuery(id: string): { readonly uploadId: string } {
  const uploadId = storageIdOf(id);
  const decoded = Buffer.from(uploadId, 'base64url').toString('latin1');
  const isOfOther = /\.2[~/]|\.\.\//.test(uploadId) || /^[ -~]*\.\.\/[ -~]*$/.test(decoded);
  if (uploadId === '' || uploadId.length > MAX_ID_CHARACTERS || isOfOther) throw noSuchUpload();
  return { uploadId };
}

export function noSuchUpload(cause?: unknown): SvcError {
  return new SvcError('not_found', { detail: 'there is no such upload of this key; start a new one', cause });
}

/**
 * Joins the parts into the object, while the lock of its key is held.
 *
 * @returns its ETag, if storage gives it.
 */
export async function joinParts(
  object: ObjectRef,
  id: string,
  parts: readonly GivenPart[],
  options: ConditionalWrite,
): Promise<string | undefined> {
  const named = parts
    .map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`)
    .join('');
  const body = Buffer.from(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${named}</CompleteMultipartUpload>`,
  );
  const { provider, bucket, key } = object;
  const join = async (conditions: Readonly<Record<string, string | undefined>>) => {
    const headers = { 'content-type': 'application/xml', ...conditions };
    try {
      const { fields } = await provider.s3.ask(
        { method: 'POST', bucket, key, query: uploadQuery(id), headers, body },
        'CompleteMultipartUploadResult',
        { signal: options.signal, deadlineMs: LONG_WORK_MS },
      );
      return { etag: etagIn(fields) };
    } catch (error) {
      const wasTriedBefore = mayBeDone(error);
      const isOdd = isFault(error, 'InternalError');
      const fault = wasTriedBefore || isOdd ? await missingUpload(object, id, error, options) : error;
      const etag = wasTriedBefore ? await joinedBefore(object, parts, fault, options) : undefined;
      if (etag === undefined) throw isOdd ? fault : error;
      return { etag };
    }
  };
  // It looks itself whether a lost answer was that of a success.
  return (await sendConditionally(object, options, join, () => false))['etag'];
}

/**
 * The ETag of the object when the first answer of storage was lost, which was asked again then: it has the object, but no longer the upload. If it has both, the
 * object is an earlier one of the same content.
 */
async function joinedBefore(
  object: ObjectRef,
  parts: readonly GivenPart[],
  error: unknown,
  { signal }: Abortable,
): Promise<string | undefined> {
  if (codeOf(error) !== 'not_found') return undefined;
  const there = await headOf(object, { signal }).catch(() => undefined);
  return isEtagOfJoined(there?.['etag'], parts) ? there?.['etag'] : undefined;
}

/**
 * What a failed completion means: the gateway of Ceph answers 500 when the upload does not exist, or no longer. Where storage does not let the service ask, the upload
 * may still be there.
 *
 * @returns a `not_found` if there is no such upload, and otherwise the error.
 */
export async function missingUpload(
  { provider, bucket, key }: ObjectRef,
  id: string,
  error: unknown,
  { signal }: Abortable,
): Promise<unknown> {
  if (codeOf(error) === 'not_found') return error;
  const query = { 'max-parts': '1', ...uploadQuery(id) };
  return provider.s3.ask({ method: 'GET', bucket, key, query }, 'ListPartsResult', { signal }).then(
    () => error,
    (fault: unknown) => (codeOf(fault) === 'not_found' ? fault : error),
  );
}

/**
 * Whether an ETag is the one that storage gives to joined parts: the MD5 of their MD5s, in bytes as with S3 or as text as with Ozone and some releases of Garage, and
 * their number. If their ETags are no MD5s, no object has this ETag. Some storage writes it in capital letters or without quotes.
 */
export function isEtagOfJoined(etag: string | undefined, parts: readonly GivenPart[]): boolean {
  const digests = parts.map((part) => part.etag.replaceAll('"', '')).join('');
  const plain = etag?.replaceAll('"', '').toLowerCase();
  return [Buffer.from(digests, 'hex'), digests].some((each) => plain === `${hash('md5', each)}-${parts.length}`);
}

/** The ETag in an answer in XML. Ceph omits its quotes there. */
export function etagIn({ ETag: etag }: Readonly<Record<string, string | undefined>>): string | undefined {
  return etag === undefined || etag === '' || etag.startsWith('"') ? etag : `"${etag}"`;
}

/** Aborts an upload and deletes its parts, which nobody would find later. When that fails, it is tried again in the background. */
async function dropUpload(object: ObjectRef, id: string, [pause, ...later]: readonly number[]): Promise<void> {
  try {
    await object.provider.s3.send({
      method: 'DELETE',
      bucket: object.bucket,
      key: object.key,
      query: { uploadId: id },
    });
  } catch (error) {
    if (pause !== undefined && !isFault(error, 'NoSuchUpload'))
      setTimeout(() => void dropUpload(object, id, later), pause).unref();
  }
}
