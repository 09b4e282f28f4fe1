import type { Abortable, ObjectRef, Provider } from './provider.ts';

/** `code` is one of the error catalogue. */
export type DeleteOutcome = { readonly deleted: string[]; readonly failed: { readonly key: string; readonly code: string }[] };

/** Deletes an object. One that is not there is deleted already. */
export async function deleteObject(_provider: Provider, _object: ObjectRef, _options?: Abortable): Promise<void> {
  throw new Error('to be built');
}

/** Deletes up to 1000 objects, with a result for each, in the order of `keys`. */
export async function deleteObjects(_provider: Provider, _bucket: string, _keys: readonly string[], _options?: Abortable): Promise<DeleteOutcome> {
  throw new Error('to be built');
}
