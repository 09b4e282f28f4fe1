import { unreadable } from '../api/client.ts';
import { send } from '../api/request.ts';
import type { ObjectRef } from '../api/object-calls.ts';

/** The first bytes of an object, and whether there are more. */
export type Head = { readonly bytes: ArrayBuffer; readonly isCut: boolean };

function objectPath({ provider, bucket }: ObjectRef): string[] {
  return ['api', 'providers', provider, 'buckets', bucket, 'object'];
}

/** Reads up to `most` bytes from the start of an object, through the guarded route. */
export async function readHead(object: ObjectRef, size: number, most: number, signal: AbortSignal): Promise<Head> {
  if (size === 0) return { bytes: new ArrayBuffer(0), isCut: false };
  const headers = size > most ? { range: `bytes=0-${most - 1}` } : undefined;
  const response = await send(objectPath(object), {
    query: { key: object.key },
    signal,
    ...(headers ? { headers } : {}),
  });
  return { bytes: await response.arrayBuffer(), isCut: size > most };
}

/** Reads the bytes from `from` up to, but not including, `to`. @throws {ApiError} */
export async function readRange(
  object: ObjectRef,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await send(objectPath(object), {
    query: { key: object.key },
    signal,
    headers: { range: `bytes=${from}-${to - 1}` },
  });
  if (response.status !== 206) {
    await response.body?.cancel();
    throw unreadable(response.status);
  }
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * Reads a whole object as a PDF.
 *
 * It ignores the stored type, because a blob belongs to this origin and could run scripts in it as a document of another type.
 */
export async function readPdf(object: ObjectRef, signal: AbortSignal): Promise<Blob> {
  const response = await send(objectPath(object), { query: { key: object.key }, signal });
  return new Blob([await response.arrayBuffer()], { type: 'application/pdf' });
}
