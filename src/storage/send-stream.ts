import type { Readable } from 'node:stream';
import { incomingBody } from './incoming-body.ts';
import type { StorageProvider } from './provider.ts';
import { StallClock } from './stall-clock.ts';
import { storageError } from './storage-error.ts';

export type IncomingStream = { readonly body: Readable; /** Bytes, as the client said. */ readonly size: number; readonly signal?: AbortSignal | undefined; readonly beforeEnd?: (() => Promise<void>) | undefined };

/**
 * Sends a body to storage as fast as the client sends it and storage takes it. The body is not kept in memory.
 *
 * @throws {SvcError} `invalid_request`: another length than announced. Where the client went away, the reason of `signal`.
 */
export async function sendStream<T>(provider: StorageProvider, { body, size, signal, beforeEnd }: IncomingStream, send: (Body: Readable, options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
  const clock = new StallClock(provider, signal);
  const Body = incomingBody(body, size, signal, { clock, beforeEnd });
  // A fault of the body aborts the request. If the request ended normally, an incomplete body could be stored as the whole.
  Body.once('error', (error) => clock.abort(error));
  try {
    return await send(Body, { abortSignal: clock.signal });
  } catch (error) {
    signal?.throwIfAborted();
    const cause = clock.causeOf(error);
    // Storage may answer before it has read the whole body; the rest is not sent.
    clock.abort(cause);
    throw storageError(provider.name, cause);
  } finally {
    clock.stop();
  }
}
