import type { Readable } from 'node:stream';

/** Throws away the body of a request that nobody reads: it would be in memory until the answer. Most requests have none, for which nothing is to be done. */
export function dropBody(
  body: Readable & { /** Of a request: whether all has come. */ readonly complete?: boolean },
): void {
  if (body.readableLength > 0 || body.complete === false) body.resume();
}
