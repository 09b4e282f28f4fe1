import type { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, type GetObjectCommandInput } from '@aws-sdk/client-s3';
import { checkObject } from './address.ts';
import { ask } from './ask.ts';
import { headersOf, notModified, type ObjectHeaders } from './object-headers.ts';
import type { Abortable, ObjectRef, StorageProvider } from './provider.ts';
import { pulledStream } from './pulled-stream.ts';
import { StallClock } from './stall-clock.ts';
import { storageError } from './storage-error.ts';

/** The conditions of a read. No other header of a client reaches storage. */
export type HeadConditions = Abortable & {
  readonly ifNoneMatch?: string | undefined;
  /** Ignored when `ifNoneMatch` is given too. */
  readonly ifModifiedSince?: string | undefined;
};

export type ReadConditions = HeadConditions & {
  /** As in the `Range` header; anything but one `bytes=` range is ignored, as RFC 9110 allows. */
  readonly range?: string | undefined;
  /** As in the `If-Range` header: the range is used only when the object still has this ETag. */
  readonly ifRange?: string | undefined;
  /** Reads the object only when it has this ETag, if storage heeds the condition; otherwise `precondition_failed`. */
  readonly ifMatch?: string | undefined;
};

export type ObjectHead = { readonly status: 200 | 304; readonly headers: ObjectHeaders };

/** `body` is undefined when `status` is 304. Destroy it to end the transfer. */
export type ObjectRead = { readonly status: 200 | 206 | 304; readonly headers: ObjectHeaders; readonly body: Readable | undefined };

/**
 * Opens an object for reading. The body is read from storage only as fast as it is consumed.
 *
 * @throws {SvcError} `not_found`, `range_not_satisfiable`.
 */
export async function getObject(provider: StorageProvider, object: ObjectRef, conditions: ReadConditions = {}): Promise<ObjectRead> {
  checkObject(provider, object);
  const input = inputOf(object, conditions);
  const clock = new StallClock(provider, conditions.signal);
  clock.waitForStorage();
  try {
    const output = await provider.streams.send(new GetObjectCommand(input), { abortSignal: clock.signal });
    const status = output.$metadata.httpStatusCode === 206 ? 206 : 200;
    return { status, headers: headersOf(output), body: relay(provider, output.Body as Readable, clock) };
  } catch (error) {
    clock.stop();
    const unchanged = notModified(error);
    if (unchanged !== undefined) return { status: 304, headers: unchanged, body: undefined };
    conditions.signal?.throwIfAborted();
    const fault = storageError(provider.name, clock.causeOf(error));
    if (input.IfMatch !== conditions.ifMatch && fault.code === 'precondition_failed') return getObject(provider, object, { ...conditions, range: undefined });
    throw fault;
  }
}

/** What {@link getObject} would answer for the whole object, without the body. @throws {SvcError} `not_found` */
export async function headObject(provider: StorageProvider, object: ObjectRef, conditions: HeadConditions = {}): Promise<ObjectHead> {
  checkObject(provider, object);
  const input = inputOf(object, conditions);
  try {
    const output = await ask(provider, conditions, (send) => provider.client.send(new HeadObjectCommand(input), send));
    return { status: 200, headers: headersOf(output) };
  } catch (error) {
    const unchanged = notModified((error as { cause?: unknown } | null)?.cause);
    if (unchanged !== undefined) return { status: 304, headers: unchanged };
    throw error;
  }
}

type ReadInput = Pick<GetObjectCommandInput, 'Range' | 'IfMatch' | 'IfNoneMatch' | 'IfModifiedSince'> & { Bucket: string; Key: string };

function inputOf({ bucket, key }: ObjectRef, { range, ifRange, ifMatch, ifNoneMatch, ifModifiedSince }: ReadConditions): ReadInput {
  const input: ReadInput = { Bucket: bucket, Key: key, ...(ifMatch !== undefined && { IfMatch: ifMatch }) };
  const isEntityTag = ifRange?.startsWith('"') === true;
  if (range !== undefined && isOneRange(range) && (ifRange === undefined || isEntityTag)) {
    input.Range = range;
    if (ifRange !== undefined) input.IfMatch = ifRange;
  }
  if (ifNoneMatch !== undefined) {
    input.IfNoneMatch = ifNoneMatch;
  } else if (ifModifiedSince !== undefined && !Number.isNaN(Date.parse(ifModifiedSince))) {
    input.IfModifiedSince = new Date(ifModifiedSince);
  }
  return input;
}

function isOneRange(range: string): boolean {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? [];
  if (first === undefined || last === undefined || first + last === '') return false;
  return first === '' || last === '' || Number(first) <= Number(last);
}

/** Passes the body on. It ends with an error when storage stalls or breaks off. */
function relay(provider: StorageProvider, source: Readable, clock: StallClock): Readable {
  clock.stop();
  return pulledStream(chunksOf(provider, source, clock), () => {
    clock.stop();
    source.destroy();
  });
}

async function* chunksOf(provider: StorageProvider, source: Readable, clock: StallClock): AsyncGenerator<Buffer, void, void> {
  try {
    clock.waitForStorage();
    for await (const chunk of source as AsyncIterable<Buffer>) {
      clock.waitForClient();
      yield chunk;
      clock.waitForStorage();
    }
  } catch (error) {
    throw storageError(provider.name, clock.causeOf(error));
  } finally {
    clock.stop();
  }
}
