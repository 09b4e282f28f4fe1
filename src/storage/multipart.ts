import type { Readable } from 'node:stream';
import { AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CreateMultipartUploadCommand, ListPartsCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { checkObject } from './address.ts';
import { ask, LONG_WORK_MS } from './ask.ts';
import { headObject } from './object-read.ts';
import { refuseToOverwrite, UNTYPED, type ConditionalWrite } from './object-write.ts';
import type { Abortable, ObjectRef, Provider } from './provider.ts';
import { sendStream } from './send-stream.ts';
import { storageError } from './storage-error.ts';
import { checkContentType } from './stored-headers.ts';
import { writtenObject, type WrittenObject } from './written-object.ts';

/** An upload id counts for the key that it was made for, and for no other: storage is always told both. */
export type UploadRef = ObjectRef & { readonly id: string };

/** `size` in bytes: of the parts that were joined. */
export type JoinedObject = WrittenObject & { readonly size: number };

/** `size` in bytes. */
export type UploadedPart = { readonly number: number; readonly size: number; readonly etag: string };

export type NewPart = { readonly number: number; readonly size: number; readonly body: Readable };

/** Begins an upload in parts. Nothing is to be seen of the object before {@link completeUpload}. */
export async function startUpload(provider: Provider, object: ObjectRef, options: Abortable & { readonly contentType?: string | undefined } = {}): Promise<{ readonly id: string }> {
  checkObject(provider, object);
  checkContentType(options.contentType);
  const command = new CreateMultipartUploadCommand({ Bucket: object.bucket, Key: object.key, ContentType: options.contentType ?? UNTYPED });
  const { UploadId } = await ask(provider, options, (send) => provider.client.send(command, send));
  if (UploadId === undefined) throw storageError(provider.name, new Error('an upload without an id'));
  return { id: UploadId };
}

/**
 * Streams one part to storage, as fast as the client sends it. A part that is cut off does not count; sent again, it replaces itself.
 *
 * @throws {SvcError} `not_found`: no such upload of this key. `invalid_request`: another length than announced.
 */
export async function putPart(provider: Provider, upload: UploadRef, { number, size, body }: NewPart, options: Abortable = {}): Promise<UploadedPart> {
  checkObject(provider, upload);
  const { ETag } = await sendStream(provider, { body, size, signal: options.signal }, (Body, send) =>
    provider.streams.send(new UploadPartCommand({ ...namesOf(upload), PartNumber: number, ContentLength: size, Body }), send),
  );
  return { number, size, etag: ETag ?? '' };
}

/** Every part that arrived, by number. @throws {SvcError} `not_found`: no such upload of this key. */
export async function listParts(provider: Provider, upload: UploadRef, options: Abortable = {}): Promise<UploadedPart[]> {
  checkObject(provider, upload);
  const parts: UploadedPart[] = [];
  let marker: string | undefined;
  do {
    const command = new ListPartsCommand({ ...namesOf(upload), PartNumberMarker: marker });
    const output = await ask(provider, options, (send) => provider.client.send(command, send)).catch(asUploadFault);
    for (const { PartNumber = 0, Size = 0, ETag = '' } of output.Parts ?? []) parts.push({ number: PartNumber, size: Size, etag: ETag });
    marker = output.IsTruncated && output.NextPartNumberMarker !== marker ? output.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return parts;
}

/**
 * Joins all parts that arrived into the object.
 *
 * @throws {SvcError} `not_found`: no such upload of this key. `invalid_request`: no part arrived, or storage refuses one of them,
 *   such as one under 5 MiB that is not the last.
 */
export async function completeUpload(provider: Provider, upload: UploadRef, { ifNoneMatchAny = false, ...options }: ConditionalWrite = {}): Promise<JoinedObject> {
  const parts = await listParts(provider, upload, options);
  if (parts.length === 0) throw new SvcError('invalid_request', { detail: 'no part of this upload has arrived; send at least one' });
  const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const command = new CompleteMultipartUploadCommand({ ...namesOf(upload), MultipartUpload: { Parts }, ...(ifNoneMatchAny && { IfNoneMatch: '*' }) });
  try {
    return await provider.turns.use(provider, upload, options, async () => {
      if (ifNoneMatchAny) await refuseToOverwrite(provider, upload, options);
      const { ETag } = await ask(provider, { ...options, deadlineMs: LONG_WORK_MS }, (send) => provider.client.send(command, send));
      return { ...(await writtenObject(provider, upload, ETag)), size };
    });
  } catch (error) {
    const joined = await joinedBefore(provider, upload, parts.length, error, options);
    if (joined === undefined) return asUploadFault(error);
    return { ...joined, size };
  }
}

/** Drops an upload and its parts. One that is gone is dropped already. */
export async function abortUpload(provider: Provider, upload: UploadRef, options: Abortable = {}): Promise<void> {
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

/** When the answer to a completion was lost and the SDK asked again, the upload is gone because the object stands. */
async function joinedBefore(provider: Provider, upload: UploadRef, parts: number, error: unknown, options: Abortable): Promise<WrittenObject | undefined> {
  const { cause } = error as { cause?: { $metadata?: { attempts?: number } } };
  if (codeOf(error) !== 'not_found' || (cause?.$metadata?.attempts ?? 1) < 2) return undefined;
  const { headers } = await headObject(provider, upload, options);
  return headers.etag?.endsWith(`-${parts}"`) ? { etag: headers.etag } : undefined;
}

/** Some storage says that there is no such key when it means the upload. */
function asUploadFault(error: unknown): never {
  if (codeOf(error) !== 'not_found') throw error;
  throw new SvcError('not_found', { detail: 'there is no such upload of this key; start a new one', cause: error });
}
