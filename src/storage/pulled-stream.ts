import { Readable } from 'node:stream';

/**
 * A stream that takes the next chunk only when its reader wants one.
 *
 * Unlike `Readable.from`, it ends at once when it is destroyed, even while a chunk is awaited. A fault after its reader has
 * left is no uncaught error.
 *
 * @param onDestroy - frees what the chunks come from; called once, at the end in any case.
 */
export function pulledStream(chunks: AsyncIterator<Buffer, void, void>, onDestroy: () => void = () => undefined): Readable {
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
