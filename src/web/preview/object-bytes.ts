import type { QueryClient } from '@tanstack/react-query';
import { ApiError, apiErrorOf } from '../api/api-error.ts';
import { unreadable } from '../api/client.ts';
import { headQuery } from '../api/head-query.ts';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { send } from '../api/request.ts';
import { t } from '../words/words.ts';
import type { ReadRange } from './zip-directory.ts';

/** The first bytes of an object, and whether there are more. */
export type Head = { readonly bytes: ArrayBuffer; readonly isCut: boolean };

function objectPath({ provider, bucket }: ObjectRef): string[] {
  return ['api', 'providers', provider, 'buckets', bucket, 'object'];
}

/** Reads up to `most` bytes from the start of an object, through the guarded route. */
export async function readHead(
  object: ObjectRef,
  { size, isCompressed }: Pick<ObjectHead, 'size' | 'isCompressed'>,
  most: number,
  signal: AbortSignal,
): Promise<Head> {
  if (size === 0) return { bytes: new ArrayBuffer(0), isCut: false };
  const headers = size > most && !isCompressed ? { range: `bytes=0-${most - 1}` } : undefined;
  const response = await send(objectPath(object), {
    query: { key: object.key },
    signal,
    ...(headers ? { headers } : {}),
  });
  const { bytes, isCut } = await takeUpTo(response, most);
  return { bytes, isCut: isCut || (size > most && !isCompressed) };
}

/** Reads no more of an answer than was asked for: storage may ignore a range, and the object may have grown. */
export async function takeUpTo({ body }: Response, most: number): Promise<Head> {
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    chunks.push(next.value);
    length += next.value.length;
    if (length <= most) continue;
    await reader?.cancel();
    break;
  }
  return { bytes: await new Blob(chunks).slice(0, most).arrayBuffer(), isCut: length > most };
}

/**
 * Makes the function that reads bytes of an object. All of them are of the version with this ETag, or, if it is weak, of the version that is read first.
 *
 * The function throws an {@link ApiError}: `conflict` when the object has changed, whose head is then read again.
 */
export function rangeReader(
  object: ObjectRef,
  { etag, signal, client }: { readonly etag: string; readonly signal: AbortSignal; readonly client: QueryClient },
): ReadRange {
  let version = conditionFor(etag) ?? {};
  return async (from, to) => {
    const response = await send(objectPath(object), {
      query: { key: object.key },
      signal,
      headers: { range: `bytes=${from}-${to - 1}`, ...version },
    }).catch((error: unknown) => {
      // Storage may look at the range first, and each range lies in the version whose size is known.
      if (!['precondition_failed', 'range_not_satisfiable'].includes(apiErrorOf(error).code)) throw error;
      throw changed(object, client);
    });
    if (response.status !== 206) {
      await response.body?.cancel();
      throw unreadable(response.status);
    }
    version = conditionFor(response.headers.get('etag') ?? '') ?? version;
    const { bytes, isCut } = await takeUpTo(response, to - from);
    if (isCut || bytes.byteLength < to - from) throw unreadable(response.status);
    return new Uint8Array(bytes);
  };
}

/** The error for an object that is not the one whose head was read. The head is read again. */
function changed(object: ObjectRef, client: QueryClient): ApiError {
  void client.invalidateQueries({ queryKey: headQuery(object).queryKey });
  return new ApiError('conflict', t('The file has changed while it was read. Try again.'));
}

/** Undefined for a weak ETag, which names no version of the bytes. */
function conditionFor(etag: string): { readonly 'if-match'?: string } | undefined {
  return etag.startsWith('"') ? { 'if-match': etag } : undefined;
}

/**
 * Reads a whole object of up to `most` bytes as a blob; null if it has more: a small object that is stored compressed may have any number, and one may have grown.
 *
 * It ignores the stored type, because a blob belongs to this origin and could run scripts in it as a document of that type.
 */
export async function readWhole(
  object: ObjectRef,
  { most, type }: { readonly most: number; readonly type: string },
  signal: AbortSignal,
): Promise<Blob | null> {
  const { body } = await send(objectPath(object), { query: { key: object.key }, signal });
  let length = 0;
  const limited = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      length += chunk.length;
      if (length > most) controller.terminate();
      else controller.enqueue(chunk);
    },
  });
  const blob = await new Response(body?.pipeThrough(limited)).blob();
  return length > most ? null : blob.slice(0, blob.size, type);
}
