import type { Readable } from 'node:stream';
import type { Abortable, ObjectRef, Provider } from './provider.ts';
import type { WrittenObject } from './object-write.ts';

/** An upload id counts for the key that it was made for, and for no other. */
export type UploadRef = ObjectRef & { readonly id: string };

/** `size` in bytes. */
export type UploadedPart = { readonly number: number; readonly size: number; readonly etag: string };

export async function startUpload(_provider: Provider, _object: ObjectRef, _options?: Abortable & { readonly contentType?: string | undefined }): Promise<{ readonly id: string }> {
  throw new Error('to be built');
}

/** Streams one part. `size` is its length in bytes; a part that is cut off does not count. */
export async function putPart(_provider: Provider, _upload: UploadRef, _part: { readonly number: number; readonly size: number; readonly body: Readable }, _options?: Abortable): Promise<UploadedPart> {
  throw new Error('to be built');
}

/** Every part that arrived, by number. @throws {SvcError} `not_found`: no such upload of this key. */
export async function listParts(_provider: Provider, _upload: UploadRef, _options?: Abortable): Promise<UploadedPart[]> {
  throw new Error('to be built');
}

/** Joins all parts that arrived into the object. @throws {SvcError} `not_found`, `invalid_request`. */
export async function completeUpload(_provider: Provider, _upload: UploadRef, _options?: Abortable): Promise<WrittenObject> {
  throw new Error('to be built');
}

/** Drops an upload and its parts. One that is gone is dropped already. */
export async function abortUpload(_provider: Provider, _upload: UploadRef, _options?: Abortable): Promise<void> {
  throw new Error('to be built');
}
