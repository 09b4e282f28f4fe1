import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { isWritten, requireConditions, sendConditionally, sendOnceConditionally } from './conditions.ts';
import {
  IncomingBody,
  sendStream,
  wholeBody,
  type BodyHooks,
  type ClientBody,
  type IncomingStream,
} from './incoming-body.ts';
import { piecesOf, type Piece } from './pieces.ts';
import type { ConditionalWrite, ObjectRef } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import type { Headers } from './s3/fault.ts';
import type { S3Request } from './s3/request.ts';
import { storageError } from './storage-error.ts';
import { inUpload, joinParts, MAX_PARTS, partQuery, sendParts } from './upload-calls.ts';

export type WriteOptions = ConditionalWrite & {
  readonly contentType?: string | undefined;
  /** Bytes. The write fails when another number of bytes arrives. */
  readonly contentLength?: number | undefined;
  /** The MD5 of the body in base64; the write fails when the body has another one. */
  readonly contentMd5?: string | undefined;
  /** Further headers to store with the object. */
  readonly stored?: Readonly<Record<string, string | undefined>> | undefined;
  /** Runs while the lock of the key is held, before the object is written. When it throws, nothing is written. */
  readonly beforeWrite?: (() => Promise<void>) | undefined;
};

/** `etag` is as storage returns it, with its quotes. */
export type WrittenObject = { readonly etag: string };

/** The content type of objects that are written without one. Storage has different defaults, and does not always report them. */
export const UNTYPED = 'application/octet-stream';

const MIB = 2 ** 20;
const MAX_KEPT_BYTES = MIB;
/** The largest body that storage accepts in one request. */
const MAX_SINGLE_PUT_BYTES = 5 * 2 ** 30;
/** The size of the parts of a body of unknown length, which can be up to 78 GiB. */
const PART_BYTES = 8 * MIB;
const PARTS_AT_ONCE = 2;
/** What a streamed body holds, about: what has arrived from the client, and what waits for storage. */
const STREAMED_BYTES = MIB / 2;

/**
 * The memory that the write of a client's body holds.
 *
 * @param size - in bytes; undefined when the client announced none.
 * @throws {SvcError} `payload_too_large`.
 */
export function heldBytesOf(size: number | undefined): number {
  if (size === undefined) return PARTS_AT_ONCE * PART_BYTES;
  if (size > MAX_SINGLE_PUT_BYTES) throw tooLarge();
  return size <= MAX_KEPT_BYTES ? Math.max(size, STREAMED_BYTES) : STREAMED_BYTES;
}

/**
 * Writes an object, which appears whole or not at all: it is streamed with its length, sent when it is complete, or joined from complete parts.
 *
 * @throws {SvcError} `precondition_failed`, `not_found` (the bucket), `invalid_request` (another length than announced),
 *   `payload_too_large` (too large for parts: use a multipart upload). When the client disconnected, the reason of `signal`.
 */
export async function putObject(
  object: Permitted<ObjectRef>,
  source: Readable | ClientBody,
  options: WriteOptions = {},
): Promise<WrittenObject> {
  checkContentType(options.contentType);
  const { contentLength: size, contentMd5, signal } = options;
  if (size !== undefined && size > MAX_SINGLE_PUT_BYTES) throw tooLarge();
  const isKept = size !== undefined && size <= MAX_KEPT_BYTES;
  // The check comes first, so that no large body is sent in vain.
  if (!isKept) await requireConditions(object, options);
  const headers = { 'content-type': options.contentType ?? UNTYPED, ...options.stored };
  // With storage that supports the condition, no other write can happen between our check and this write.
  const { provider, bucket, key } = object;
  const request = { method: 'PUT', bucket, key, headers } as const;
  let endTurn: (() => void) | undefined;
  let isOver = false;
  // The lock is taken only here, because a slow client would otherwise block the key.
  const beforeEnd = async (): Promise<void> => {
    endTurn = await provider.keyLocks.acquire(provider, object, options);
    // Storage may have ended the write while it waited for the lock.
    if (isOver) {
      endTurn();
      return;
    }
    await requireConditions(object, options);
    await options.beforeWrite?.();
  };
  try {
    const etag = isKept
      ? await sendWhole(object, request, source, size, { ...options, beforeEnd })
      : size === undefined
        ? await sendUnknown(object, request, streamOf(source), { ...options, beforeEnd })
        : await sendOnce(object, request, { body: streamOf(source), size, contentMd5, signal, beforeEnd }, options);
    return await writtenObject(object, etag);
  } finally {
    isOver = true;
    endTurn?.();
  }
}

function streamOf(source: Readable | ClientBody): Readable {
  return source instanceof Readable ? source : source.body;
}

type PutRequest = S3Request & { readonly bucket: string; readonly key: string };

/** Sends a body as it arrives. @returns the ETag. */
function sendOnce(
  object: ObjectRef,
  request: PutRequest,
  incoming: IncomingStream,
  options: ConditionalWrite,
): Promise<string | undefined> {
  const send = async (sent: S3Request) => (await sendStream(object.provider, sent, incoming)).headers['etag'];
  return sendOnceConditionally(object.provider, request, options, send);
}

/** Sends a whole body with its conditions. @returns the ETag. */
async function sendBytes(
  object: ObjectRef,
  { headers = {}, ...request }: PutRequest,
  body: Buffer,
  options: ConditionalWrite,
): Promise<string | undefined> {
  const write = async (conditions: PutRequest['headers']) => {
    const sent = { ...request, headers: { ...headers, ...conditions }, body };
    return (await object.provider.s3.send(sent, { signal: options.signal, deadlineMs: LONG_WORK_MS })).headers;
  };
  const isDone = (there: Headers | undefined) => isWritten(there, hash('md5', body), headers);
  return (await sendConditionally(object, options, write, isDone))['etag'];
}

/**
 * Collects a small body, so that it can be sent again.
 *
 * @returns the ETag.
 */
async function sendWhole(
  object: ObjectRef,
  request: PutRequest,
  source: Readable | ClientBody,
  size: number,
  options: WriteOptions & BodyHooks,
): Promise<string | undefined> {
  const { signal, beforeEnd } = options;
  try {
    const bytes = await (source instanceof Readable ? wholeBody(source, size, options) : source.whole(size, options));
    await beforeEnd?.();
    return await sendBytes(object, request, bytes, options);
  } catch (error) {
    signal?.throwIfAborted();
    throw storageError(object.provider.name, error);
  }
}

/**
 * Collects a small body of unknown length, so that it can be sent again. A larger one is sent in parts.
 *
 * @returns the ETag.
 */
async function sendUnknown(
  object: ObjectRef,
  request: PutRequest,
  body: Readable,
  options: WriteOptions & BodyHooks,
): Promise<string | undefined> {
  const { contentMd5, signal, beforeEnd } = options;
  const incoming = new IncomingBody(body, undefined, signal, { beforeEnd, contentMd5 });
  const pieces = piecesOf(incoming, PART_BYTES);
  try {
    const first = (await pieces.next()).value as Piece;
    if (first.isLast) return await sendBytes(object, request, first.bytes, options);
    const { ifNoneMatchAny, ifMatch } = options;
    const conditions = { ifNoneMatchAny, ifMatch };
    return await sendInParts(object, request.headers, incoming, beginningWith(first, pieces), conditions);
  } catch (error) {
    signal?.throwIfAborted();
    throw storageError(object.provider.name, error);
  } finally {
    incoming.destroy();
  }
}

async function* beginningWith<T>(first: T, rest: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  yield first;
  yield* rest;
}

/**
 * Sends parts while the next ones are read; a few of them are held in memory. When one fails, the upload is aborted.
 *
 * When the client disconnects, `incoming` fails, and requests that were already sent to storage are awaited. Otherwise a part, or the upload itself, could be
 * created after the upload was aborted.
 */
async function sendInParts(
  object: ObjectRef,
  headers: PutRequest['headers'],
  incoming: Readable,
  pieces: AsyncIterator<Piece, void>,
  conditions: ConditionalWrite,
): Promise<string | undefined> {
  return inUpload(object, headers ?? {}, async (id) => {
    const failed = new AbortController();
    // Otherwise the upload would wait for a slow sender before it fails.
    failed.signal.addEventListener('abort', () => void incoming.destroy());
    const parts = await sendParts(pieces, PARTS_AT_ONCE, failed, async ({ bytes }, number) => {
      if (number > MAX_PARTS) throw tooLarge();
      const { headers } = await object.provider.s3.send(
        { method: 'PUT', bucket: object.bucket, key: object.key, query: partQuery(id, number), body: bytes },
        { deadlineMs: LONG_WORK_MS },
      );
      return headers['etag'];
    });
    return joinParts(object, id, parts, conditions);
  });
}

/** The written object. Some storage omits the ETag after joining parts, and is then asked for it. */
export async function writtenObject(
  { provider, bucket, key }: ObjectRef,
  etag: string | undefined,
): Promise<WrittenObject> {
  if (etag) return { etag };
  const { headers } = await provider.s3.send({ method: 'HEAD', bucket, key });
  return { etag: headers['etag'] ?? '' };
}

function tooLarge(): SvcError {
  return new SvcError('payload_too_large', {
    detail:
      'one request stores at most 5 GiB, or 78 GiB without a `Content-Length`; upload the object in parts: `svc cp`, `upload/create`, or `POST …/uploads`',
  });
}

/** @throws {SvcError} `invalid_request` when it cannot be sent as a header. */
export function checkContentType(contentType: string | undefined): void {
  if (contentType === undefined || /^[\x20-\x7e]{1,255}$/.test(contentType)) return;
  throw new SvcError('invalid_request', {
    detail: 'the content type is not one: use 1 to 255 printable ASCII characters',
  });
}
