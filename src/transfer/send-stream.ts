import type { StoredHeaders } from '../wire/stored-headers.ts';
import { TransferError } from './failure.ts';
import { STREAM_MAX_BYTES, STREAM_PART_BYTES } from './parts.ts';
import { withRetries } from './retry.ts';
import { sendUpload } from './send.ts';
import { joinParts } from './send-in-parts.ts';
import type { NamedPart, Target, WhenTaken } from './transport.ts';
import { request, type UploadContext } from './upload.ts';

/** The upload of bytes whose number is known only at their end. */
export type StreamUpload = {
  readonly source: AsyncIterable<Uint8Array>;
  readonly contentType: string;
  /** The headers that the person stores with the object. */
  readonly stored?: StoredHeaders | undefined;
  readonly target: Target;
  readonly whenTaken: WhenTaken;
};

export type StreamContext = Omit<UploadContext<Buffer>, 'resumeStore' | 'onEvent'>;

/**
 * Uploads a stream: in one request if it ends within 16 MiB, otherwise in parts of that size. The object appears whole or not at all: when the stream fails or `signal` is
 * aborted, its parts are deleted. It cannot be resumed. At most `partsAtOnce` parts and one more are held in memory.
 *
 * @returns the number of bytes.
 * @throws {TransferError} `payload_too_large` from 156 GiB on; the error of the stream.
 */
export async function sendStream(upload: StreamUpload, context: StreamContext): Promise<number> {
  const { target, contentType } = upload;
  const { transport, signal, firstDelayMs } = context;
  const pieces = piecesOf(upload.source);
  const first = await unlessAborted(signal, pieces.next());
  const second = first.done === true ? first : await unlessAborted(signal, pieces.next());
  if (second.done === true) return sendAtOnce(upload, first.value ?? Buffer.alloc(0), context);
  const uploadId = await request(context, signal, () => transport.begin(target, contentType, signal));
  try {
    const { parts, size } = await sendParts(upload, uploadId, joined([first.value!, second.value], pieces), context);
    await joinParts({ ...upload, size }, { uploadId }, parts, context);
    return size;
  } catch (thrown) {
    await withRetries(() => transport.abandon(target, uploadId), { retries: 2, firstDelayMs }).catch(() => undefined);
    throw thrown;
  }
}

async function sendAtOnce(
  { target, contentType, stored, whenTaken }: StreamUpload,
  bytes: Buffer,
  context: StreamContext,
): Promise<number> {
  const file = {
    name: '-',
    size: bytes.length,
    lastModified: Date.now(),
    contentType,
    stored,
    slice: (start: number, end: number) => bytes.subarray(start, end),
    bytes: async () => bytes,
    requireUnchanged: async () => undefined,
  };
  // A file of this size is neither remembered nor resumed.
  const resumeStore = { find: async () => undefined, remember: async () => undefined, forget: async () => undefined };
  await sendUpload({ file, target, whenTaken }, { ...context, resumeStore });
  return bytes.length;
}

/** Sends pieces as parts while more of them arrive. The first failure stops the others, and is thrown when all have ended. */
async function sendParts(
  { target }: StreamUpload,
  uploadId: string,
  pieces: AsyncGenerator<Buffer, void, void>,
  context: StreamContext,
): Promise<{ readonly parts: readonly NamedPart[]; readonly size: number }> {
  const { transport, onSent, partsAtOnce } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const parts: NamedPart[] = [];
  const sending = new Set<Promise<void>>();
  let [size, sent] = [0, 0];
  const send = async (number: number, piece: Buffer): Promise<void> => {
    try {
      const { etag } = await request(context, signal, () =>
        transport.sendPart(target, uploadId, number, piece, { signal, onProgress: () => undefined }),
      );
      parts[number - 1] = { number, etag };
      onSent((sent += piece.length), false);
    } catch (thrown) {
      stop.abort(thrown);
    }
  };
  let number = 0;
  try {
    for (;;) {
      const { value: piece } = await unlessAborted(signal, pieces.next());
      if (piece === undefined) break;
      size += piece.length;
      if (size > STREAM_MAX_BYTES)
        throw new TransferError(
          'payload_too_large',
          'more than 156 GiB of unknown length; save them to a file and copy that',
        );
      const part: Promise<void> = send((number += 1), piece).finally(() => sending.delete(part));
      sending.add(part);
      if (sending.size >= partsAtOnce) await Promise.race(sending);
    }
  } catch (thrown) {
    stop.abort(thrown);
  }
  await Promise.all(sending);
  signal.throwIfAborted();
  return { parts, size };
}

/** Pieces of one size; only the last one may be smaller. */
async function* piecesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let chunks: Uint8Array[] = [];
  let have = 0;
  for await (let chunk of source) {
    while (have + chunk.length >= STREAM_PART_BYTES) {
      const rest = STREAM_PART_BYTES - have;
      yield Buffer.concat([...chunks, chunk.subarray(0, rest)]);
      chunk = chunk.subarray(rest);
      chunks = [];
      have = 0;
    }
    if (chunk.length > 0) chunks.push(chunk);
    have += chunk.length;
  }
  if (have > 0) yield Buffer.concat(chunks);
}

async function* joined<T>(before: readonly T[], rest: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  yield* before;
  yield* rest;
}

/** Waits no longer than until the signal is aborted: a source may be silent for hours. @throws the reason of the signal. */
async function unlessAborted<T>(signal: AbortSignal, waited: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const done = new AbortController();
  try {
    return await Promise.race([
      waited,
      new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: done.signal }),
      ),
    ]);
  } finally {
    done.abort();
  }
}
