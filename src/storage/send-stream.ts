import type { Readable } from 'node:stream';
import { IncomingBody } from './incoming-body.ts';
import type { StorageProvider } from './provider.ts';
import type { Answer } from './s3/client.ts';
import type { S3Request } from './s3/request.ts';
import { StallClock } from './stall-clock.ts';

export type IncomingStream = { readonly body: Readable; /** Bytes, as the client said. */ readonly size: number; readonly signal?: AbortSignal | undefined; readonly beforeEnd?: (() => Promise<void>) | undefined };

/**
 * Sends a request whose body comes from a client, as fast as the client sends it and storage takes it. The body is not kept in memory.
 *
 * @throws {SvcError} `invalid_request`: another length than announced. Where the client went away, the reason of `signal`.
 */
export async function sendStream(provider: StorageProvider, request: Omit<S3Request, 'body'>, { body, size, signal, beforeEnd }: IncomingStream): Promise<Answer> {
  const clock = new StallClock(provider.idleTimeoutMs);
  const incoming = new IncomingBody(body, size, signal, { clock, beforeEnd });
  return provider.s3.send({ ...request, headers: { ...request.headers, 'content-length': String(size) }, body: incoming }, { signal, clock });
}
