import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CreateMultipartUploadCommand, ListPartsCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { checkObject } from './address.ts';
import { ask, LONG_WORK_MS } from './ask.ts';
import { headObject } from './object-read.ts';
import { refuseToOverwrite, UNTYPED, type ConditionalWrite } from './object-write.ts';
import type { Abortable, ObjectRef, StorageProvider } from './provider.ts';
import { sendStream } from './send-stream.ts';
import { isFault, storageError } from './storage-error.ts';
import { checkContentType } from './stored-headers.ts';
import type { WrittenObject } from './written-object.ts';

/** An upload id is valid only for the key that it was made for, so storage is always told both. */
export type UploadRef = ObjectRef & { readonly id: string };

/** `size` in bytes. */
export type JoinedObject = WrittenObject & { readonly size: number };

/** `size` in bytes. */
export type UploadedPart = { readonly number: number; readonly size: number; readonly etag: string };

/** A part as the client knows it; `etag` comes from the answer to {@link putPart}. */
export type GivenPart = { readonly number: number; readonly etag: string };

export type NewPart = { readonly number: number; readonly size: number; readonly body: Readable };

/** Begins an upload in parts. The object does not appear before {@link completeUpload}. */
export async function startUpload(provider: StorageProvider, object: ObjectRef, options: Abortable & { readonly contentType?: string | undefined } = {}): Promise<{ readonly id: string }> {
  checkObject(provider, object);
  checkContentType(options.contentType);
  const command = new CreateMultipartUploadCommand({ Bucket: object.bucket, Key: object.key, ContentType: options.contentType ?? UNTYPED });
  const { UploadId } = await ask(provider, options, (send) => provider.client.send(command, send));
  if (UploadId === undefined) throw storageError(provider.name, new Error('an upload without an id'));
  return { id: UploadId };
}

/**
 * Streams one part to storage, as fast as the client sends it. A part that is cut off is not stored. A part that is sent again replaces the earlier one.
 *
 * @throws {SvcError} `not_found`: no such upload of this key. `invalid_request`: another length than announced.
 */
export async function putPart(provider: StorageProvider, upload: UploadRef, { number, size, body }: NewPart, options: Abortable = {}): Promise<UploadedPart> {
  checkObject(provider, upload);
  const { ETag } = await sendStream(provider, { body, size, signal: options.signal }, (Body, send) =>
    provider.streams.send(new UploadPartCommand({ ...namesOf(upload), PartNumber: number, ContentLength: size, Body }), send),
  );
  return { number, size, etag: ETag ?? '' };
}

/** Every part that arrived, by number. @throws {SvcError} `not_found`: no such upload of this key. */
export async function listParts(provider: StorageProvider, upload: UploadRef, options: Abortable = {}): Promise<UploadedPart[]> {
  checkObject(provider, upload);
  const parts: UploadedPart[] = [];
  let marker: string | undefined;
  do {
    const command = new ListPartsCommand({ ...namesOf(upload), PartNumberMarker: marker });
    const output = await ask(provider, options, (send) => provider.client.send(command, send)).catch(asUploadFault);
    for (const { PartNumber = 0, Size = 0, ETag = '' } of output.Parts ?? []) parts.push({ number: PartNumber, size: Size, etag: ETag });
    // Storage whose part markers do not grow would be asked for ever.
    const goesOn = output.IsTruncated === true && Number(output.NextPartNumberMarker) > Number(marker ?? 0);
    marker = goesOn ? output.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return parts;
}

/**
 * Joins exactly the given parts into the object, by number.
 *
 * A completion that is repeated after a success succeeds again, when the object's ETag tells that it is the same object.
 *
 * @throws {SvcError} `not_found`: no such upload of this key. `conflict` with their numbers as `parts`: storage does not have them, or has them
 *   with another ETag. `invalid_request`: no part, one number twice, or one that storage refuses, such as under 5 MiB and not the last.
 */
export async function completeUpload(provider: StorageProvider, upload: UploadRef, given: readonly GivenPart[], { ifNoneMatchAny = false, ...options }: ConditionalWrite = {}): Promise<JoinedObject> {
  checkObject(provider, upload);
  const parts = inOrder(given);
  const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
  const command = new CompleteMultipartUploadCommand({ ...namesOf(upload), MultipartUpload: { Parts }, ...(ifNoneMatchAny && { IfNoneMatch: '*' }) });
  try {
    const { ETag } = await provider.turns.use(provider, upload, options, async () => {
      if (ifNoneMatchAny) await refuseToOverwrite(provider, upload, options);
      return ask(provider, { ...options, deadlineMs: LONG_WORK_MS }, (send) => provider.client.send(command, send));
    });
    return await joinedObject(provider, upload, ETag, options);
  } catch (error) {
    if (isFault((error as { cause?: unknown } | null)?.cause, 'InvalidPart')) throw await lackingParts(provider, upload, parts, options);
    return (await joinedBefore(provider, upload, parts, error, options)) ?? asUploadFault(error);
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

async function joinedObject(provider: StorageProvider, upload: UploadRef, etag: string | undefined, options: Abortable): Promise<JoinedObject> {
  const { headers } = await headObject(provider, upload, options);
  return { etag: etag || (headers.etag ?? ''), size: Number(headers['content-length'] ?? 0) };
}

const NUMBERS_TOLD = 10;

/** The error that names the parts which storage lacks, or has with another ETag. */
async function lackingParts(provider: StorageProvider, upload: UploadRef, given: readonly GivenPart[], options: Abortable): Promise<SvcError> {
  const arrived = new Map((await listParts(provider, upload, options)).map(({ number, etag }) => [number, plain(etag)]));
  const parts = given.flatMap(({ number, etag }) => (arrived.get(number) === plain(etag) ? [] : [number]));
  const told = parts.slice(0, NUMBERS_TOLD).join(', ') + (parts.length > NUMBERS_TOLD ? ` and ${parts.length - NUMBERS_TOLD} more` : '');
  const detail = parts.length === 0 ? 'storage refuses the parts; ask which have arrived, and send the others again' : `storage does not have these parts, or has them with another ETag: ${told}; send them again`;
  return new SvcError('conflict', { detail, members: { parts } });
}

function plain(etag: string): string {
  return etag.replaceAll('"', '');
}

/** Drops an upload and its parts. Dropping an upload that no longer exists succeeds. */
export async function abortUpload(provider: StorageProvider, upload: UploadRef, options: Abortable = {}): Promise<void> {
  checkObject(provider, upload);
  try {
    await ask(provider, options, (send) => provider.client.send(new AbortMultipartUploadCommand(namesOf(upload)), send));
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
  }
}

function namesOf({ bucket, key, id }: UploadRef): { Bucket: string; Key: string; UploadId: string } {
  return { Bucket: bucket, Key: key, UploadId: id };
}

/** Finds the object of an earlier completion whose answer was lost: storage then has the object, and no upload any more. */
async function joinedBefore(provider: StorageProvider, upload: UploadRef, parts: readonly GivenPart[], error: unknown, options: Abortable): Promise<JoinedObject | undefined> {
  if (codeOf(error) !== 'not_found') return undefined;
  const joined = await joinedObject(provider, upload, undefined, options).catch(() => undefined);
  // The SDK has asked twice when it got no answer; storage with ETags of its own tells the number of parts at least.
  const { cause } = error as { cause?: { $metadata?: { attempts?: number } } };
  const askedTwice = (cause?.$metadata?.attempts ?? 1) > 1;
  const isThis = joined !== undefined && (joined.etag === etagOfJoined(parts) || (askedTwice && joined.etag.endsWith(`-${parts.length}"`)));
  return isThis ? joined : undefined;
}

/** The ETag that S3 gives to joined parts: the MD5 of theirs, and how many. Undefined where theirs are no MD5. */
function etagOfJoined(parts: readonly GivenPart[]): string | undefined {
  const digests = parts.map(({ etag }) => plain(etag));
  if (!digests.every((digest) => /^[0-9a-f]{32}$/.test(digest))) return undefined;
  return `"${createHash('md5').update(Buffer.from(digests.join(''), 'hex')).digest('hex')}-${parts.length}"`;
}

/** Rewords a `not_found`: some storage reports a missing key when the upload is missing. */
function asUploadFault(error: unknown): never {
  if (codeOf(error) !== 'not_found') throw error;
  throw new SvcError('not_found', { detail: 'there is no such upload of this key; start a new one', cause: error });
}
