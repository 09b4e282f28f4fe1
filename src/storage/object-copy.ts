import type { Abortable, ObjectRef, Provider } from './provider.ts';
import type { WrittenObject } from './object-write.ts';

export type Place = ObjectRef & { readonly provider: Provider };

/** Copies an object, within a provider without downloading it. @throws {SvcError} `invalid_request` on to itself; `not_found`. */
export async function copyObject(_from: Place, _to: Place, _options?: Abortable): Promise<WrittenObject> {
  throw new Error('to be built');
}

/** Copies, then deletes the source. @throws {SvcError} as {@link copyObject}; the source stays when the copy failed. */
export async function moveObject(_from: Place, _to: Place, _options?: Abortable): Promise<WrittenObject> {
  throw new Error('to be built');
}
