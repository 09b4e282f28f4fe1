import type { Readable } from 'node:stream';
import type { Abortable, ObjectRef, Provider } from './provider.ts';

export type WriteOptions = Abortable & {
  readonly contentType?: string | undefined;
  /** Bytes; the write fails when another number of bytes arrives. */
  readonly contentLength?: number | undefined;
  /** `If-None-Match: *`: refuse to overwrite. */
  readonly ifNoneMatchAny?: boolean | undefined;
};

/** `etag` is as storage gives it, with its quotes. */
export type WrittenObject = { readonly etag: string };

/** Writes an object; it appears whole or not at all. @throws {SvcError} `precondition_failed`, `not_found` (the bucket). */
export async function putObject(_provider: Provider, _object: ObjectRef, _body: Readable, _options?: WriteOptions): Promise<WrittenObject> {
  throw new Error('to be built');
}
