import { pipeline, Transform, type Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** Bytes that go at once. A slow transfer has to move now and then, or the service takes it for dead. */
const PIECE_BYTES = 16_384;

/** Limits how many bytes all transfers of a command move in a second, together. */
export class Pace {
  readonly #bytesPerMs: number;
  #freeAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /** Waits until so many bytes may go. */
  async take(bytes: number): Promise<void> {
    const now = performance.now();
    const begin = Math.max(now, this.#freeAt);
    this.#freeAt = begin + bytes / this.#bytesPerMs;
    if (begin > now) await wait(begin - now);
  }

  /** The same bytes at this pace. When one of the two streams ends early, so does the other. */
  through(source: Readable): Readable {
    const send = async (paced: Transform, chunk: Buffer): Promise<void> => {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        await this.take(piece.length);
        paced.push(piece);
      }
    };
    const paced = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        send(this, chunk).then(() => done(), done);
      },
    });
    // Its reader learns of an error of the source.
    return pipeline(source, paced, () => undefined);
  }
}
