import { hash } from 'node:crypto';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { Abortable, ObjectRef } from './provider.ts';
import type { Headers } from './s3/fault.ts';
import { xmlText } from '../xml/text.ts';
import { isFault } from './storage-error.ts';

/** Faults which mean that the object has no tags. */
const WITHOUT_TAGS = ['NoSuchTagSet', 'NoSuchTagSetError'];
/** Faults which mean that storage does not support tags. */
const NO_TAGS = ['NotImplemented', 'MethodNotAllowed'];

export type Tag = { readonly key: string; readonly value: string };

/**
 * The tags of an object; none where storage has no tags.
 *
 * @throws {SvcError} `not_found`; also when the service may not read them.
 */
export async function readTags({ provider, bucket, key }: Permitted<ObjectRef>, options: Abortable): Promise<Tag[]> {
  return tagsIn({ provider, bucket, key }, options);
}

async function tagsIn(object: ObjectRef, options: Abortable, version?: string): Promise<Tag[]> {
  try {
    return await askTags(object, options, version);
  } catch (error) {
    if (hasNoTags(error)) return [];
    throw error;
  }
}

/**
 * Whether an object has a tag, and with this value if one is given. An object that is no longer there has none.
 *
 * @throws {SvcError} `not_supported` where storage has no tags; also when the service may not read them.
 */
export async function hasTag(
  object: Permitted<ObjectRef>,
  wanted: { readonly key: string; readonly value: string | undefined },
  options: Abortable,
): Promise<boolean> {
  try {
    const tags = await askTags(object, options).catch(async (error: unknown) => {
      if (!hasNoTags(error)) throw error;
      // Amazon says the same of an object that was deleted meanwhile in a bucket with versions.
      await object.provider.s3.send({ method: 'HEAD', bucket: object.bucket, key: object.key }, options);
      throw withoutTags(object, error, 'search without a tag');
    });
    return tags.some(({ key, value }) => key === wanted.key && (wanted.value === undefined || value === wanted.value));
  } catch (error) {
    if (codeOf(error) === 'not_found') return false;
    throw error;
  }
}

/** The tags of an object. An object without tags has an error in some storage. */
async function askTags({ provider, bucket, key }: ObjectRef, { signal }: Abortable, version?: string): Promise<Tag[]> {
  try {
    const query = { tagging: '', versionId: version };
    const { items } = await provider.s3.ask({ method: 'GET', bucket, key, query }, 'Tagging', { signal });
    return items.flatMap(({ name, fields }) =>
      name === 'Tag' ? [{ key: fields['Key'] ?? '', value: fields['Value'] ?? '' }] : [],
    );
  } catch (error) {
    if (WITHOUT_TAGS.some((name) => isFault(error, name))) return [];
    throw error;
  }
}

function hasNoTags(error: unknown): boolean {
  return NO_TAGS.some((name) => isFault(error, name)) || isFault(error, '', 501) || isFault(error, '', 405);
}

/**
 * The tags of an object in the form of the header that sets them; undefined when it has none.
 *
 * @throws {SvcError} also when the service may not read them.
 */
export async function tagsOf(object: ObjectRef, options: Abortable, version?: string): Promise<string | undefined> {
  const tags = (await tagsIn(object, options, version)).map(
    ({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  );
  return tags.length === 0 ? undefined : tags.sort().join('&');
}

/** Like {@link tagsOf}, for a write that would lose them. @throws {SvcError} that nothing was written, when they cannot be read. */
export async function tagsToKeep(object: ObjectRef, options: Abortable): Promise<string | undefined> {
  try {
    return await tagsOf(object, options);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, {
      detail: `nothing was written, because the tags cannot be read and would be lost: ${error.detail ?? ''}`,
      cause: error,
    });
  }
}

/**
 * Gives an object other tags.
 *
 * @throws {SvcError} `not_supported` where storage has no tags; `not_found`.
 */
export async function replaceTags(
  { provider, bucket, key }: Permitted<ObjectRef>,
  tags: readonly Tag[],
  { signal }: Abortable,
): Promise<void> {
  try {
    // Storage that does not know tags could take the request for one about the object itself.
    await askTags({ provider, bucket, key }, { signal });
    if (tags.length === 0) {
      await provider.s3.send({ method: 'DELETE', bucket, key, query: { tagging: '' } }, { signal });
      // Ceph answers that it did, and keeps the tags where the bucket has versions. It takes an empty list of tags.
      if ((await askTags({ provider, bucket, key }, { signal })).length === 0) return;
    }
    await putTags({ provider, bucket, key }, tags, { signal });
  } catch (error) {
    if (!hasNoTags(error)) throw error;
    throw withoutTags({ provider, bucket, key }, error);
  }
}

/** @throws {SvcError} `not_supported` where storage has no tags. */
export async function requireTags(object: ObjectRef): Promise<void> {
  try {
    await askTags(object, {});
  } catch (error) {
    if (hasNoTags(error)) throw withoutTags(object, error);
    // There is no object yet, or its tags may not be read.
    if (codeOf(error) !== 'not_found' && !isFault(error, 'AccessDenied')) throw error;
  }
}

function withoutTags({ provider }: ObjectRef, cause: unknown, then = 'nothing was changed'): SvcError {
  return new SvcError('not_supported', {
    detail: `storage provider \`${provider.name}\` has no tags; ${then}`,
    cause,
  });
}

/** Gives an object other tags, in the form of the header that sets them. */
export function writeTags(object: ObjectRef, tagging: string, options: Abortable): Promise<void> {
  const tags = Array.from(new URLSearchParams(tagging), ([key, value]) => ({ key, value }));
  return putTags(object, tags, options);
}

async function putTags(
  { provider, bucket, key }: ObjectRef,
  given: readonly Tag[],
  { signal }: Abortable,
): Promise<void> {
  const tags = given.map((tag) => `<Tag><Key>${xmlText(tag.key)}</Key><Value>${xmlText(tag.value)}</Value></Tag>`);
  const body = Buffer.from(
    `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>${tags.join('')}</TagSet></Tagging>`,
  );
  const headers = { 'content-type': 'application/xml', 'content-md5': hash('md5', body, 'base64') };
  await provider.s3.send({ method: 'PUT', bucket, key, query: { tagging: '' }, headers, body }, { signal });
}

/** The properties of an object that a copy loses unless it sets them, by header name, with their names for people. */
const PRESERVED = { 'x-amz-tagging': 'tags', expires: '`Expires`', 'x-amz-storage-class': 'storage class' } as const;

/** Properties to set on a write, as headers. */
export type PreservedHeaders = { readonly [Name in keyof typeof PRESERVED]?: string };

/** The properties that a copy has to set itself, because storage does not copy them. */
export function preservedHeadersOf(source: Headers, tags: string | undefined): PreservedHeaders {
  const { expires = '', 'x-amz-storage-class': storageClass } = source;
  return {
    ...(tags !== undefined && { 'x-amz-tagging': tags }),
    ...(!Number.isNaN(Date.parse(expires)) && { expires: new Date(expires).toUTCString() }),
    ...(storageClass !== undefined && { 'x-amz-storage-class': storageClass }),
  };
}

/**
 * Checks that the target kept the preserved properties.
 *
 * @throws {SvcError} `conflict`: storage stored the object without some of them.
 */
export async function requirePreserved(
  to: ObjectRef,
  preserved: PreservedHeaders,
  { signal }: Abortable,
): Promise<void> {
  const { provider, bucket, key } = to;
  const { headers } = await provider.s3.send({ method: 'HEAD', bucket, key }, { signal });
  const tags = preserved['x-amz-tagging'] === undefined ? undefined : await tagsOf(to, { signal });
  const kept = preservedHeadersOf(headers, tags);
  const lost = Object.entries(PRESERVED).flatMap(([name, what]) =>
    preserved[name as keyof PreservedHeaders] === kept[name as keyof PreservedHeaders] ||
    preserved[name as keyof PreservedHeaders] === undefined
      ? []
      : [what],
  );
  if (lost.length > 0)
    throw new SvcError('conflict', {
      detail: `storage provider \`${provider.name}\` did not keep its ${lost.join(' and ')}`,
    });
}
