import { addAbortSignal, type Readable } from 'node:stream';
import { SvcError } from '../errors/svc-error.ts';
import { pulledStream } from './pulled-stream.ts';
import type { StallClock } from './stall-clock.ts';

/**
 * The body that a client sends, read only as fast as storage takes it. It fails, instead of ending, when the client
 * goes away or sends another number of bytes than it announced.
 *
 * @param bytes - the announced length; undefined when the client announced none.
 */
export function incomingBody(source: Readable, bytes: number | undefined, signal: AbortSignal | undefined, hooks: BodyHooks = {}): Readable {
  if (signal !== undefined) addAbortSignal(signal, source);
  const body = pulledStream(measured(source, bytes, hooks));
  // The client may go away before storage takes the first byte, when nothing reads the source yet.
  source.once('error', (error) => void body.destroy(error));
  return body;
}

export type BodyHooks = {
  /** The clock that runs while the body waits for storage. */
  readonly clock?: StallClock;
  /** Awaited before the last bytes are passed on, when storage cannot have stored the body yet. An error that it throws ends the body. */
  readonly beforeEnd?: (() => Promise<void>) | undefined;
};

async function* measured(source: Readable, bytes: number | undefined, { clock, beforeEnd }: BodyHooks): AsyncGenerator<Buffer, void, void> {
  let seen = 0;
  let isAsked = false;
  // When storage fails, the client's request is not destroyed, so that it can still be answered.
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    seen += chunk.length;
    if (bytes !== undefined && seen > bytes) throw wrongLength(bytes, 'more');
    if (seen === bytes && !isAsked) {
      isAsked = true;
      await beforeEnd?.();
    }
    clock?.waitForStorage();
    yield chunk;
    clock?.waitForClient();
  }
  if (bytes !== undefined && seen < bytes) throw wrongLength(bytes, `only ${seen}`);
  if (!isAsked) await beforeEnd?.();
  clock?.waitForStorage();
}

function wrongLength(bytes: number, arrived: string): SvcError {
  return new SvcError('invalid_request', { detail: `the body should be ${bytes} bytes long, and ${arrived} arrived; send it again` });
}
