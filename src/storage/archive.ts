import type { Readable } from 'node:stream';
import type { Abortable, Provider } from './provider.ts';

export type ArchiveRequest = Abortable & {
  readonly bucket: string;
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** Decides for each key whether it goes in (`objects:get`); what is denied is left out without a trace. */
  readonly permit: (key: string) => boolean;
};

/**
 * A ZIP stream of objects. A fault on the way destroys the stream, so that the download fails visibly.
 *
 * @throws {SvcError} before the first byte: `not_found` (a named key), storage faults.
 */
export async function archive(_provider: Provider, _request: ArchiveRequest): Promise<Readable> {
  throw new Error('to be built');
}
