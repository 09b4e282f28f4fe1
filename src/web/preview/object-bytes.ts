import { unreadable } from '../api/client.ts';
import { send } from '../api/request.ts';
import type { ObjectRef } from '../actions/object-calls.ts';

/** The start of an object, and whether it goes on. */
export type Head = { readonly bytes: ArrayBuffer; readonly isCut: boolean };

function objectPath({ provider, bucket }: ObjectRef): string[] {
  return ['api', 'providers', provider, 'buckets', bucket, 'object'];
}

/** Reads at most the first `most` bytes, through the guarded route. */
export async function readHead(object: ObjectRef, size: number, most: number, signal: AbortSignal): Promise<Head> {
  if (size === 0) return { bytes: new ArrayBuffer(0), isCut: false };
  const headers = size > most ? { range: `bytes=0-${most - 1}` } : undefined;
  const response = await send(objectPath(object), { query: { key: object.key }, signal, ...(headers ? { headers } : {}) });
  return { bytes: await response.arrayBuffer(), isCut: size > most };
}

/** Reads a part of an object, and nothing more. @throws {ApiError} */
export async function readRange(object: ObjectRef, from: number, to: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const response = await send(objectPath(object), { query: { key: object.key }, signal, headers: { range: `bytes=${from}-${to - 1}` } });
  if (response.status !== 206) {
    await response.body?.cancel();
    throw unreadable(response.status);
  }
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * Reads a whole object as a PDF.
 *
 * The stored type is never taken over: a blob belongs to this origin, and as a document of another type it could run scripts in it.
 */
export async function readPdf(object: ObjectRef, signal: AbortSignal): Promise<Blob> {
  const response = await send(objectPath(object), { query: { key: object.key }, signal });
  return new Blob([await response.arrayBuffer()], { type: 'application/pdf' });
}
