import { ApiError, apiErrorOf } from '../api/api-error.ts';
import type { ObjectRef } from '../api/object-calls.ts';
import { writtenIn } from '../api/client.ts';
import { send } from '../api/request.ts';
import { MOST_EDITABLE_BYTES } from '../objects/editable.ts';
import { takeUpTo } from '../preview/object-bytes.ts';
import { t } from '../words/words.ts';
import { otherKey } from '../work/conflict.ts';
import { hasSlowLine, textFileOf, type TextFile } from './text-file.ts';

/** A version of an object that can be edited. */
export type TextVersion = TextFile & {
  readonly etag: string;
  readonly type: string;
  readonly modified: Date | undefined;
};

const MOST_COPIES = 100;

const objectPath = ({ provider, bucket }: ObjectRef) => ['api', 'providers', provider, 'buckets', bucket, 'object'];

/** Reads an object to edit it, or one of its versions. @throws {ApiError} `not_editable` if its content is too large, compressed, not UTF-8, or too slow to lay out. */
export async function readText(
  object: ObjectRef,
  { version, signal }: { readonly version?: string; readonly signal?: AbortSignal } = {},
): Promise<TextVersion> {
  const response = await send(objectPath(object), {
    query: { key: object.key, version },
    headers: { 'cache-control': 'no-cache' },
    ...(signal && { signal }),
  });
  const { headers } = response;
  const etag = headers.get('etag') ?? '';
  const type = headers.get('content-type') ?? '';
  const { bytes, isCut } = await takeUpTo(response, MOST_EDITABLE_BYTES);
  if (isCut) throw notEditable(t('Files of more than 1 MiB cannot be edited here. Download it to edit it.'));
  // A proxy that compresses the answer makes the ETag weak.
  if (headers.has('content-encoding') && !etag.startsWith('W/'))
    throw notEditable(t('This file is stored compressed, so it cannot be edited here. Download it to edit it.'));
  const charset = /;\s*charset="?([^";\s]*)/i.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  const file = ['utf-8', 'utf8', 'us-ascii'].includes(charset) ? textFileOf(bytes) : undefined;
  if (file === undefined)
    throw notEditable(t('This file is not text in UTF-8, so it cannot be edited here. Download it to edit it.'));
  if (hasSlowLine(file.text))
    throw notEditable(t('This file has a line that a browser cannot show. Download it to edit it.'));
  const modified = headers.get('last-modified');
  return {
    ...file,
    etag: etag.replace(/^W\//, ''),
    type,
    modified: modified === null ? undefined : new Date(modified),
  };
}

function notEditable(message: string): ApiError {
  return new ApiError('not_editable', message);
}

/**
 * Replaces the content of an object, and nothing else of it.
 *
 * @returns the new ETag.
 * @throws {ApiError} `precondition_failed` or `not_found`: it is another version now, or has been deleted.
 */
export function writeText(object: ObjectRef, bytes: Uint8Array<ArrayBuffer>, etag: string): Promise<string> {
  return put(object, bytes, { 'if-match': etag }, { keep: 1 });
}

/** Stores a text as a new object. @returns its ETag. @throws {ApiError} `precondition_failed` if the key is taken. */
export function createText(object: ObjectRef, bytes: Uint8Array<ArrayBuffer>, type: string): Promise<string> {
  return put(object, bytes, { 'if-none-match': '*', ...(type !== '' && { 'content-type': type }) });
}

/** Stores a text beside an object, under the first name that is free. @returns its key. @throws {ApiError} */
export async function createTextBeside(
  object: ObjectRef,
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
): Promise<string> {
  for (let n = 2; ; n += 1) {
    const key = otherKey(object.key, n);
    try {
      await createText({ ...object, key }, bytes, type);
      return key;
    } catch (error) {
      if (n > MOST_COPIES || apiErrorOf(error).code !== 'precondition_failed') throw error;
    }
  }
}

async function put(
  object: ObjectRef,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
  query: { readonly keep?: 1 } = {},
): Promise<string> {
  const response = await send(objectPath(object), {
    method: 'PUT',
    query: { key: object.key, ...query },
    headers,
    body: bytes,
  });
  return writtenIn(await response.text()).etag;
}
