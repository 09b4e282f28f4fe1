import type { Readable } from 'node:stream';
import { AbortMultipartUploadCommand, HeadObjectCommand, PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { checkObject } from './address.ts';
import { ask } from './ask.ts';
import type { CarriedHeaders } from './carried-headers.ts';
import { dropUpload } from './drop-upload.ts';
import { incomingBody, type BodyHooks } from './incoming-body.ts';
import type { Abortable, ObjectRef, StorageProvider } from './provider.ts';
import { sendStream } from './send-stream.ts';
import { storageError } from './storage-error.ts';
import { checkContentType, type StoredHeaders } from './stored-headers.ts';
import { writtenObject, type WrittenObject } from './written-object.ts';

export type ConditionalWrite = Abortable & {
  /** `If-None-Match: *`: refuse to overwrite. */
  readonly ifNoneMatchAny?: boolean | undefined;
};

export type WriteOptions = ConditionalWrite & {
  readonly contentType?: string | undefined;
  /** Bytes; the write fails when another number of bytes arrives. */
  readonly contentLength?: number | undefined;
  /** Further headers to keep with the object. */
  readonly stored?: (StoredHeaders & CarriedHeaders) | undefined;
};

/** The type of objects that are written without one. Storage has different defaults, and does not always report them. */
export const UNTYPED = 'application/octet-stream';

const MIB = 2 ** 20;
const MAX_KEPT_BYTES = MIB;
/** The largest body that storage takes in one request. */
const MAX_SINGLE_PUT_BYTES = 5 * 2 ** 30;
/** The smallest size of a part. A few parts are held in memory at a time. */
const PART_BYTES = 5 * MIB;
/** For a body of unknown length: up to 78 GiB. */
const PART_BYTES_OF_UNKNOWN = 8 * MIB;
const MAX_PART_BYTES = 64 * MIB;
const MAX_PARTS = 10_000;
const PARTS_AT_ONCE = 2;

/**
 * Writes an object, which appears whole or not at all: it is streamed with its length, sent when it is complete, or joined from complete parts.
 *
 * @throws {SvcError} `precondition_failed`, `not_found` (the bucket), `invalid_request` (another length than announced),
 *   `payload_too_large` (more than fits in parts: use a multipart upload). Where the client went away, the reason of `signal`.
 */
export async function putObject(provider: StorageProvider, object: ObjectRef, body: Readable, options: WriteOptions = {}): Promise<WrittenObject> {
  checkObject(provider, object);
  checkContentType(options.contentType);
  const { contentLength: size, signal, ifNoneMatchAny } = options;
  const isKept = size !== undefined && size <= MAX_KEPT_BYTES;
  // The check comes first, so that no large body is sent in vain.
  if (ifNoneMatchAny && !isKept) await refuseToOverwrite(provider, object, options);
  const params = {
    Bucket: object.bucket,
    Key: object.key,
    ContentType: options.contentType ?? UNTYPED,
    ...options.stored,
    // When storage knows the condition, no other write can come between our check and this write.
    ...(ifNoneMatchAny && { IfNoneMatch: '*' }),
  };
  let endTurn: (() => void) | undefined;
  let isOver = false;
  // The turn begins here and not earlier, because a slow client would keep the key to itself.
  const beforeEnd = async (): Promise<void> => {
    endTurn = await provider.turns.take(provider, object, options);
    // Storage may have ended the write while it waited for its turn.
    if (isOver) {
      endTurn();
      return;
    }
    if (ifNoneMatchAny) await refuseToOverwrite(provider, object, options);
  };
  try {
    const { ETag } =
      size !== undefined && !isKept && size <= MAX_SINGLE_PUT_BYTES
        ? await sendStream(provider, { body, size, signal, beforeEnd }, (Body, send) => provider.streams.send(new PutObjectCommand({ ...params, ContentLength: size, Body }), send))
        : await sendKept(provider, params, body, { ...options, beforeEnd });
    return await writtenObject(provider, object, ETag);
  } finally {
    isOver = true;
    endTurn?.();
  }
}

/** Collects a small body, so that it can be sent again. A body that is, or may be, too large for one request is sent in parts. */
async function sendKept(provider: StorageProvider, params: PutObjectCommandInput, body: Readable, { contentLength, signal, beforeEnd }: WriteOptions & BodyHooks): Promise<{ readonly ETag?: string | undefined }> {
  const partSize = partSizeFor(contentLength);
  const incoming = incomingBody(body, contentLength, signal, { beforeEnd });
  try {
    // A failing body ends the upload, which then waits for the parts under way and drops them. `abort` would not wait.
    const client = endingOnFault(provider.uploads, incoming);
    return await new Upload({ client, params: { ...params, Body: incoming }, partSize, queueSize: PARTS_AT_ONCE }).done();
  } catch (error) {
    signal?.throwIfAborted();
    if (isOutOfParts(error)) throw tooLarge();
    throw storageError(provider.name, error);
  }
}

/** The client, which ends the body at the first fault. Otherwise the upload would wait for a slow sender before it gives up. */
function endingOnFault(client: S3Client, body: Readable): S3Client {
  const send = async (command: Parameters<S3Client['send']>[0]): Promise<unknown> => {
    try {
      return await (command instanceof AbortMultipartUploadCommand ? dropUpload(client, command) : client.send(command));
    } catch (error) {
      body.destroy(error as Error);
      throw error;
    }
  };
  return Object.create(client, { send: { value: send } }) as S3Client;
}

/**
 * Refuses to replace an object. Some storage ignores `If-None-Match` on a write, so storage is asked before the write.
 *
 * @throws {SvcError} `precondition_failed` when the object is there.
 */
export async function refuseToOverwrite(provider: StorageProvider, { bucket, key }: ObjectRef, options: Abortable): Promise<void> {
  try {
    await ask(provider, options, (send) => provider.client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), send));
  } catch (error) {
    if (codeOf(error) === 'not_found') return;
    throw error;
  }
  throw new SvcError('precondition_failed', { detail: 'an object with this key exists already' });
}

function partSizeFor(contentLength: number | undefined): number {
  if (contentLength === undefined) return PART_BYTES_OF_UNKNOWN;
  const size = Math.max(PART_BYTES, Math.ceil(contentLength / MAX_PARTS));
  if (size > MAX_PART_BYTES) throw tooLarge();
  return size;
}

function tooLarge(): SvcError {
  return new SvcError('payload_too_large', { detail: 'this is too large for one request; use a multipart upload' });
}

function isOutOfParts(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'message' in error && String(error.message).startsWith(`Exceeded ${MAX_PARTS} parts`);
}
