import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { ErrorCode } from '../errors/catalogue.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { sendConditionally, withKeyLock } from './conditions.ts';
import type { Abortable, BucketRef, ConditionalWrite, ObjectRef, ObjectsRef } from './provider.ts';
import type { S3Request } from './s3/request.ts';
import { xmlText } from '../xml/text.ts';
import { codeOfFault, faultBehind, isFault } from './storage-error.ts';

export type DeleteOutcome = {
  readonly deleted: string[];
  readonly failed: { readonly key: string; readonly code: ErrorCode }[];
};

const DELETES_AT_ONCE = 8;
/** The limit for the total length of the keys in one bulk request. Writing and parsing more would delay other requests; a thousand keys seldom reach it. */
const BULK_BYTES = 131_072;
/** Characters that XML 1.0 cannot express, not even escaped. A key with one of them cannot be named in a bulk request. */
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/**
 * Deletes an object. Deleting an object that does not exist succeeds.
 *
 * @throws {SvcError} `not_found`: the bucket. `precondition_failed`: the object is not the one of `ifMatch`, or does not exist.
 */
export async function deleteObject(
  object: Permitted<ObjectRef>,
  options: Abortable & Pick<ConditionalWrite, 'ifMatch'> = {},
): Promise<void> {
  const { signal, ifMatch } = options;
  if (ifMatch === undefined) return deleteKey(object, options);
  const remove = async (conditions: S3Request['headers']) => {
    await deleteKey(object, { signal }, conditions);
    return {};
  };
  try {
    await withKeyLock(object, { signal, ifMatch }, () =>
      sendConditionally(object, { signal, ifMatch }, remove, (there) => there === undefined),
    );
  } catch (error) {
    if (codeOf(error) !== 'not_found' || faultBehind(error) !== undefined) throw error;
    throw new SvcError('precondition_failed', { detail: 'there is no object with this key', cause: error });
  }
}

async function deleteKey(
  { provider, bucket, key }: ObjectRef,
  { signal }: Abortable = {},
  headers: S3Request['headers'] = {},
): Promise<void> {
  try {
    await provider.s3.send({ method: 'DELETE', bucket, key, headers }, { signal });
  } catch (error) {
    if (!isFault(error, 'NoSuchKey')) throw error;
  }
}

/**
 * Deletes up to 1000 objects, with an outcome for each in the order of `keys`.
 *
 * @throws {SvcError} a fault before the first deletion, such as `not_found` for the bucket.
 */
export async function deleteObjects(objects: Permitted<ObjectsRef>, options?: Abortable): Promise<DeleteOutcome> {
  const once = [...new Set(objects.keys)];
  const failures = new Map<string, ErrorCode>();
  const inBulk = once.filter((key) => !NOT_IN_XML.test(key));
  for (const [i, batch] of batchesOf(inBulk).entries()) {
    try {
      await deleteInBulk(objects, batch, failures, options);
    } catch (error) {
      options?.signal?.throwIfAborted();
      // Earlier requests have already deleted objects, so the answer must report the outcome of each.
      if (i === 0) throw error;
      for (const key of batch) failures.set(key, codeOf(error) ?? 'storage_unavailable');
    }
  }
  await deleteOneByOne(
    objects,
    once.filter((key) => NOT_IN_XML.test(key)),
    failures,
    options,
  );
  return {
    deleted: once.filter((key) => !failures.has(key)),
    failed: once.flatMap((key) => (failures.has(key) ? [{ key, code: failures.get(key)! }] : [])),
  };
}

function batchesOf(keys: readonly string[]): string[][] {
  const batches: string[][] = [];
  let bytes = Infinity;
  for (const key of keys) {
    bytes += Buffer.byteLength(key);
    if (bytes > BULK_BYTES) {
      batches.push([]);
      bytes = Buffer.byteLength(key);
    }
    batches.at(-1)!.push(key);
  }
  return batches;
}

/** Deletes keys in one bulk request, or one by one when storage has no bulk delete or does not understand the request. */
async function deleteInBulk(
  place: BucketRef,
  keys: readonly string[],
  failures: Map<string, ErrorCode>,
  options: Abortable | undefined,
): Promise<void> {
  try {
    const { items } = await place.provider.s3.ask(bulkDelete(place.bucket, keys), 'DeleteResult', options);
    const asked = new Set(keys);
    for (const { name, fields } of items) {
      if (name !== 'Error' || fields['Code'] === 'NoSuchKey') continue;
      const { Key: key = '' } = fields;
      // An error that names none of the keys may be about any of them, and what stays must not be told as deleted.
      for (const each of asked.has(key) ? [key] : keys) failures.set(each, codeOfFault(fields['Code'] ?? ''));
    }
  } catch (error) {
    if (
      !isFault(error, 'NotImplemented', 501) &&
      !isFault(error, 'InvalidRequest') &&
      !isFault(error, 'MissingContentMD5')
    )
      throw error;
    await deleteOneByOne(place, keys, failures, options);
  }
}

/** The request has the `Content-MD5` that Swift and older gateways require. */
function bulkDelete(bucket: string, keys: readonly string[]): S3Request {
  const objects = keys.map((key) => `<Object><Key>${xmlText(key)}</Key></Object>`).join('');
  const body = Buffer.from(
    `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects}<Quiet>true</Quiet></Delete>`,
  );
  return {
    method: 'POST',
    bucket,
    query: { delete: '' },
    headers: { 'content-type': 'application/xml', 'content-md5': createHash('md5').update(body).digest('base64') },
    body,
  };
}

async function deleteOneByOne(
  { provider, bucket }: BucketRef,
  keys: readonly string[],
  failures: Map<string, ErrorCode>,
  options: Abortable | undefined,
): Promise<void> {
  await pLimit(DELETES_AT_ONCE).map(keys, async (key) => {
    try {
      await deleteKey({ provider, bucket, key }, options);
    } catch (error) {
      options?.signal?.throwIfAborted();
      failures.set(key, codeOf(error) ?? 'storage_unavailable');
    }
  });
}
