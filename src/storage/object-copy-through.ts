import { codeOf } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { changedMeanwhile, type PartsOptions } from './object-copy-in-parts.ts';
import { getObject } from './object-read.ts';
import { putObject, type WrittenObject } from './object-write.ts';
import type { ConditionalWrite, ObjectRef } from './provider.ts';
import type { Headers } from './s3/fault.ts';

/** Some storage decodes the source of a copy first and then looks for a version: it would copy `x` for `x?y`, about which policy was not asked. */
export const BEFORE_VERSION = '?';

/**
 * Reads an object, and writes it with the given headers.
 *
 * @param version - the version of the source to copy, instead of the newest.
 */
export async function streamThrough(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  source: Headers,
  { headers: given, ...options }: ConditionalWrite & Pick<PartsOptions, 'headers' | 'beforeWrite'>,
  version?: string,
): Promise<WrittenObject> {
  const { 'content-type': contentType, ...stored } = given;
  const { signal } = options;
  const { body, headers } = await getObject(from, { signal, ifMatch: source['etag'], version }).catch(
    (error: unknown) => {
      throw codeOf(error) === 'precondition_failed' ? changedMeanwhile() : error;
    },
  );
  if (body === undefined) throw changedMeanwhile();
  try {
    const size = headers['content-length'] ?? source['content-length'];
    // A part of the content must not be stored as the whole.
    if (size !== (source['content-length'] ?? size)) throw changedMeanwhile();
    return await putObject(to, body, {
      ...options,
      contentType,
      contentLength: size === undefined ? undefined : Number(size),
      stored,
    });
  } finally {
    body.destroy();
  }
}
