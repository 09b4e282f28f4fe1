import type { Readable } from 'node:stream';
import type { Abortable, ObjectRef, Provider } from './provider.ts';

/** The request headers that count; no other header of a client reaches storage. */
export type ReadConditions = Abortable & {
  /** As in the `Range` header; anything but one `bytes=` range is ignored, as RFC 9110 allows. */
  readonly range?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
};

/** Lower-case names: content-length, content-type, content-range, accept-ranges, etag, last-modified, and what the object was stored with. */
export type ObjectHeaders = Readonly<Record<string, string>>;

export type ObjectHead = { readonly status: 200 | 206 | 304; readonly headers: ObjectHeaders };

/** `body` is undefined when `status` is 304. Destroy it to end the transfer. */
export type ObjectRead = ObjectHead & { readonly body: Readable | undefined };

/** @throws {SvcError} `not_found`, `range_not_satisfiable`. */
export async function getObject(_provider: Provider, _object: ObjectRef, _conditions?: ReadConditions): Promise<ObjectRead> {
  throw new Error('to be built');
}

/** @throws {SvcError} `not_found`, `range_not_satisfiable`. */
export async function headObject(_provider: Provider, _object: ObjectRef, _conditions?: ReadConditions): Promise<ObjectHead> {
  throw new Error('to be built');
}
