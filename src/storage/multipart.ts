import type { Readable } from 'node:stream';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { timeOf, wholeNumberOf } from './bucket-page.ts';
import { withKeyLock } from './conditions.ts';
import { sendStream } from './incoming-body.ts';
import { headObject } from './object-read.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import { checkContentType, UNTYPED, type WriteOptions, type WrittenObject } from './object-write.ts';
import type { Abortable, ConditionalWrite, ObjectRef } from './provider.ts';
import { faultBehind, isFault, mayBeDone } from './storage-error.ts';
import {
  isEtagOfJoined,
  inUpload,
  joinParts,
  MAX_PARTS,
  missingUpload,
  noSuchUpload,
  partQuery,
  uploadQuery,
  type GivenPart,
} from './upload-calls.ts';
import { tagsForId, writeTagsOf } from './upload-tags.ts';

/** `size` in bytes. */
export type JoinedObject = WrittenObject & { readonly size: number };

/** `size` in bytes. */
export type UploadedPart = { readonly number: number; readonly size: number; readonly etag: string };

/** `lastModified` is in RFC 3339. */
export type ListedPart = UploadedPart & { readonly lastModified: string | null };

export type NewPart = {
  /** Of the upload. */ readonly id: string;
  readonly number: number;
  readonly size: number;
  readonly body: Readable;
  readonly contentMd5?: string | undefined;
};

/** Begins an upload in parts. The object does not appear before {@link completeUpload}. */
export async function startUpload(
  object: Permitted<ObjectRef>,
  options: Abortable & Pick<WriteOptions, 'contentType' | 'stored'> = {},
): Promise<{ readonly id: string }> {
  checkContentType(options.contentType);
  options.signal?.throwIfAborted();
  const { 'x-amz-tagging': tagging, ...stored } = options.stored ?? {};
  const tags = tagging === undefined ? '' : await tagsForId(object, tagging);
  return inUpload(object, { 'content-type': options.contentType ?? UNTYPED, ...stored }, async (id) => {
    options.signal?.throwIfAborted();
    return { id: id + tags };
  });
}

/**
 * Streams one part to storage, as fast as the client sends it. An incomplete part is not stored. A part that is sent again replaces the earlier one.
 *
 * @throws {SvcError} `not_found`: no such upload of this key. `invalid_request`: another length than announced.
 */
export async function putPart(
  { provider, bucket, key }: Permitted<ObjectRef>,
  { id, number, size, body, contentMd5 }: NewPart,
  options: Abortable = {},
): Promise<UploadedPart> {
  const { headers } = await sendStream(
    provider,
    { method: 'PUT', bucket, key, query: partQuery(id, number) },
    { body, size, contentMd5, signal: options.signal },
  );
  return { number, size, etag: headers['etag'] ?? '' };
}

/**
 * Lists the parts that have arrived, by number.
 *
 * @throws {SvcError} `not_found`: no such upload of this key.
 */
export async function listParts(
  { provider, bucket, key }: Permitted<ObjectRef>,
  id: string,
  options: Abortable = {},
): Promise<ListedPart[]> {
  const parts: ListedPart[] = [];
  let marker: string | undefined;
  do {
    const query = { ...uploadQuery(id), 'part-number-marker': marker };
    const { fields, items } = await provider.s3
      .ask({ method: 'GET', bucket, key, query }, 'ListPartsResult', { signal: options.signal })
      .catch(asUploadFault);
    for (const { name, fields: of } of items) {
      const number = wholeNumberOf(of['PartNumber']);
      if (name === 'Part' && number >= 1 && number <= MAX_PARTS)
        parts.push({
          number,
          size: wholeNumberOf(of['Size']),
          etag: of['ETag'] ?? '',
          lastModified: timeOf(of['LastModified']) ?? null,
        });
    }
    // Without this check, storage whose part markers do not grow or do not end, or that gives more parts than an upload has, would be asked forever.
    const next = fields['NextPartNumberMarker'];
    const goesOn = Number(next) > Number(marker ?? 0) && Number(next) < MAX_PARTS && parts.length < MAX_PARTS;
    marker = fields['IsTruncated'] === 'true' && goesOn ? next : undefined;
  } while (marker !== undefined);
  return parts;
}

/**
 * Joins exactly the given parts into the object, by number.
 *
 * A completion that is repeated after a success succeeds again, when the object's ETag shows that it is the same object.
 *
 * @throws {SvcError} `not_found`: no such upload of this key. `conflict` with their numbers as `parts`: storage does not have them, or has them
 *   with another ETag. `invalid_request`: no part, a number that is given twice, or a part that storage refuses, such as one under 5 MiB that is not the last.
 */
export async function completeUpload(
  object: Permitted<ObjectRef>,
  id: string,
  given: readonly GivenPart[],
  options: ConditionalWrite = {},
): Promise<JoinedObject> {
  const parts = inOrder(given);
  try {
    const etag = await withKeyLock(object, options, async () => {
      const joined = await joinParts(object, id, parts, options);
      await writeTagsOf(id, object);
      return joined;
    });
    return await joinedObject(object, etag, options);
  } catch (error) {
    // Not an answer of storage: the condition of the write does not hold.
    if (codeOf(error) === 'not_found' && faultBehind(error) === undefined) throw error;
    if (isFault(error, 'InvalidPart')) throw await lackingParts(object, id, parts, options);
    // The object that is in the way may be that of an earlier completion whose answer was lost.
    const fault = codeOf(error) === 'precondition_failed' ? await missingUpload(object, id, error, options) : error;
    const joined = (await joinedBefore(object, parts, fault, options)) ?? asUploadFault(error);
    await withKeyLock(object, { ...options, ifNoneMatchAny: false, ifMatch: joined.etag }, () =>
      writeTagsOf(id, object),
    );
    return joined;
  }
}

/** @throws {SvcError} `invalid_request` */
function inOrder(given: readonly GivenPart[]): GivenPart[] {
  const parts = given.toSorted((a, b) => a.number - b.number);
  if (parts.length === 0) throw new SvcError('invalid_request', { detail: 'no part is named; name those to join' });
  const twice = parts.find(({ number }, i) => parts[i + 1]?.number === number);
  if (twice !== undefined) throw new SvcError('invalid_request', { detail: `part ${twice.number} is named twice` });
  return parts;
}

async function joinedObject(
  object: Permitted<ObjectRef>,
  etag: string | undefined,
  { signal }: Abortable,
): Promise<JoinedObject> {
  const { headers } = await headObject(object, { signal });
  return { etag: etag || (headers.etag ?? ''), size: Number(headers['content-length'] ?? 0) };
}

const NUMBERS_TOLD = 10;

/** The error that names the parts that storage lacks or has with another ETag. */
async function lackingParts(
  object: Permitted<ObjectRef>,
  id: string,
  given: readonly GivenPart[],
  options: Abortable,
): Promise<SvcError> {
  const arrived = new Map((await listParts(object, id, options)).map(({ number, etag }) => [number, plain(etag)]));
  const parts = given.flatMap(({ number, etag }) => (arrived.get(number) === plain(etag) ? [] : [number]));
  const problems =
    parts.slice(0, NUMBERS_TOLD).join(', ') +
    (parts.length > NUMBERS_TOLD ? ` and ${parts.length - NUMBERS_TOLD} more` : '');
  const detail =
    parts.length === 0
      ? 'storage refuses the parts; ask which have arrived, and send the others again'
      : `storage does not have these parts, or has them with another ETag: ${problems}; send them again`;
  return new SvcError('conflict', { detail, members: { parts } });
}

function plain(etag: string): string {
  return etag.replaceAll('"', '');
}

/** Aborts an upload and deletes its parts. @returns false when there is no such upload, or no longer. */
export async function abortUpload(
  { provider, bucket, key }: Permitted<ObjectRef>,
  id: string,
  options: Abortable = {},
): Promise<boolean> {
  try {
    await provider.s3.send({ method: 'DELETE', bucket, key, query: uploadQuery(id) }, { signal: options.signal });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
    return mayBeDone(error);
  }
}

/** Finds the object of an earlier completion whose answer was lost: storage then has the object, but no longer the upload. */
async function joinedBefore(
  object: Permitted<ObjectRef>,
  parts: readonly GivenPart[],
  error: unknown,
  options: Abortable,
): Promise<JoinedObject | undefined> {
  if (codeOf(error) !== 'not_found') return undefined;
  const there = await headObject(object, options).catch(() => undefined);
  if (there === undefined) return undefined;
  const { etag = '', 'content-length': size = '0', 'last-modified': modified = '' } = there.headers;
  if (isEtagOfJoined(etag, parts)) return { etag, size: Number(size) };
  // Storage with its own form of ETag at least gives the number of parts. An ETag of the usual form is that of other parts.
  const mayBeThis =
    mayBeDone(error) &&
    !USUAL_ETAG.test(etag) &&
    etag.endsWith(`-${parts.length}"`) &&
    Date.parse(modified) > Date.now() - LONGEST_JOIN_MS;
  return mayBeThis ? { etag, size: Number(size) } : undefined;
}

const USUAL_ETAG = /^"?[0-9a-f]{32}-\d+"?$/i;

/** How long ago storage may have joined parts whose answer was lost, with the difference between its clock and ours. */
const LONGEST_JOIN_MS = 2 * LONG_WORK_MS;

/** Rewords a `not_found`: some storage reports a missing key when the upload is missing. */
function asUploadFault(error: unknown): never {
  if (codeOf(error) !== 'not_found') throw error;
  throw noSuchUpload(error);
}
