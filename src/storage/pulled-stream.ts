import { Readable } from 'node:stream';

/**
 * Returns a stream that takes the next chunk only when its reader wants one.
 *
 * Unlike `Readable.from`, it ends at once when it is destroyed, even while it awaits a chunk. A fault after its reader has gone does not become an uncaught
 * error.
 *
 * @param onDestroy - releases the source of the chunks; called exactly once, at the end.
 */
export function pulledStream(
  chunks: AsyncIterator<Buffer, void, void>,
  onDestroy: () => void = () => undefined,
): Readable {
  const stream = new Readable({
    read() {
      chunks.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: unknown) => this.destroy(error as Error),
      );
    },
    destroy(error, done) {
      onDestroy();
      done(error);
    },
  });
  return stream.on('error', () => undefined);
}
