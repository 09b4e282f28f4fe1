import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { preservedHeadersOf, requirePreserved, tagsOf, writeTags, type PreservedHeaders } from './preserved-headers.ts';
import { timeOf } from './bucket-page.ts';
import { deleteVersion, headOf, isAnotherVersion, isWritten, sendConditionally, withKeyLock } from './conditions.ts';
import { storedHeadersOf } from './object-headers.ts';
import { changedMeanwhile, copyInParts, copySourceOf, sizeOf } from './object-copy-in-parts.ts';
import { BEFORE_VERSION, streamThrough } from './object-copy-through.ts';
import { checkContentType, UNTYPED, writtenObject, type WrittenObject } from './object-write.ts';
import type { Abortable, ConditionalWrite, ObjectRef } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import type { Headers } from './s3/fault.ts';
import { mayBeSameObject, refuseMergedKeys, requireSameContent, requireSameVersion, textOf } from './same-content.ts';
import { requireSource, SOURCE_CONDITIONS, type SourceConditions } from './unmet-condition.ts';
import { etagIn } from './upload-calls.ts';

type CopyOptions = ConditionalWrite &
  SourceConditions & {
    /** What the copy gets instead of the headers of the source. An object can then be copied to itself. */
    readonly replace?: { readonly contentType?: string | undefined; readonly stored: Headers } | undefined;
    /** Of the copy, in place of that of the source. */
    readonly storageClass?: string | undefined;
  };

type CopyWork = CopyOptions & {
  /** Whether the source is deleted afterwards, so that none of its properties may be lost. */
  readonly isMove?: boolean;
};

/** `lastModified` is in RFC 3339, or null when storage does not give it. */
export type CopiedObject = WrittenObject & { readonly lastModified: string | null };

/** `single`: the largest object that storage copies in one request. `part`: the smallest part of a larger one. Tests set smaller sizes. */
export type CopySizes = { readonly single: number; readonly part: number };

const GIB = 2 ** 30;
export const SIZES: CopySizes = { single: 5 * GIB, part: GIB / 2 };

/**
 * Copies an object with its content type and metadata. Within a provider, storage copies an object of any size itself, unless it would
 * misread the key. Otherwise the object is streamed through this process.
 *
 * @throws {SvcError} `invalid_request` when source and target are the same and nothing is replaced; `conflict` when the source changes; `not_found`; `precondition_failed`.
 */
export async function copyObject(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  options: CopyOptions = {},
  sizes = SIZES,
): Promise<CopiedObject> {
  return (await copy(from, to, options, sizes)).written;
}

/**
 * Copies an object, then deletes the source.
 *
 * @throws {SvcError} like {@link copyObject}. The source stays when the copy failed or is incomplete, or when the source changed in the meantime.
 */
export async function moveObject(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  options: CopyOptions = {},
  sizes = SIZES,
): Promise<CopiedObject> {
  const { source, preserved, isAtOnce, written } = await copy(from, to, { ...options, isMove: true }, sizes);
  try {
    if (!isAtOnce) await requirePreserved(to, preserved, options);
    if (await mayBeSameObject(from, to, source, options)) throw changedMeanwhile();
    await deleteVersion(from, source, options);
  } catch (error) {
    const fault = codeOf(error) === 'precondition_failed' ? changedMeanwhile() : error;
    if (!(fault instanceof SvcError)) throw fault;
    const detail = `the object is at \`${textOf(to)}\` now, and could not be deleted at \`${textOf(from)}\`: ${fault.detail ?? ''}`;
    throw new SvcError(fault.code, { members: fault.members, detail, cause: fault });
  }
  return written;
}

type Copied = {
  readonly source: Headers;
  readonly preserved: PreservedHeaders;
  /** Whether storage copied the object in one request. */
  readonly isAtOnce: boolean;
  readonly written: CopiedObject;
};

async function copy(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  options: CopyWork,
  sizes: CopySizes,
): Promise<Copied> {
  checkContentType(options.replace?.contentType);
  // Two providers may be two names of one storage.
  const sameStorage = from.provider === to.provider || from.provider.endpoint === to.provider.endpoint;
  const isSame = sameStorage && from.bucket === to.bucket && from.key === to.key;
  if (isSame && options.replace === undefined) {
    throw new SvcError('invalid_request', {
      detail: 'the source and the target are the same object; choose another target',
    });
  }
  if (options.isMove === true && sameStorage && from.bucket === to.bucket) refuseMergedKeys(from.key, to.key);
  const source = await headOf(from, options);
  requireSource(source, options);
  const isLarge = sizeOf(source) > sizes.single;
  const isAtOnce = from.provider === to.provider && !isLarge && !from.key.includes(BEFORE_VERSION);
  const storageClass = options.replace === undefined ? options.storageClass : undefined;
  const preserved = {
    ...(await preservedIn(from, to, source, { ...options, isAtOnce })),
    ...(storageClass !== undefined && { 'x-amz-storage-class': storageClass }),
  };
  const { signal, ifNoneMatchAny, ifMatch } = options;
  const conditions = { signal, ifNoneMatchAny, ifMatch };
  if (isAtOnce) {
    const written = await copyAtOnce(from, to, source, { ...options, preserved });
    return { source, preserved, isAtOnce, written };
  }
  const headers = { ...headersOfCopy(source, options.replace), ...preserved };
  const { etag } = isLarge
    ? await copyInParts(from, to, source, { ...conditions, headers }, sizes.part)
    : await streamThrough(from, to, source, { ...conditions, headers });
  // A copy to itself has changed its source.
  if (isLarge && !isSame) await requireSameContent(from, to, source, { etag }, options);
  return { source, preserved, isAtOnce, written: await withTime(to, { etag }, options) };
}

/** The content type and the other headers of a copy that is written like a new object. */
function headersOfCopy(source: Headers, replace: CopyOptions['replace']): Record<string, string | undefined> {
  return replace === undefined
    ? { 'content-type': source['content-type'], ...storedHeadersOf(source) }
    : { 'content-type': replace.contentType ?? UNTYPED, ...replace.stored };
}

async function withTime(to: ObjectRef, { etag }: WrittenObject, options: Abortable): Promise<CopiedObject> {
  // The copy is done, even if storage cannot say when.
  const { 'last-modified': time } = await headOf(to, options).catch((): Headers => ({}));
  return { etag, lastModified: timeOf(time) ?? null };
}

/**
 * The properties that the copy has to set. When storage copies in one request, it copies everything but the storage class; but when the headers are replaced,
 * Ceph copies no tags.
 */
async function preservedIn(
  from: ObjectRef,
  to: ObjectRef,
  source: Headers,
  { isAtOnce, ...options }: CopyWork & { readonly isAtOnce: boolean },
): Promise<PreservedHeaders> {
  const { 'x-amz-storage-class': storageClass, ...others } = source;
  const { replace } = options;
  if (replace !== undefined)
    return replace.stored['x-amz-tagging'] === undefined
      ? preservedHeadersOf({}, await tagsToCarry(from, options))
      : {};
  if (isAtOnce) return storageClass === undefined ? {} : { 'x-amz-storage-class': storageClass };
  const tags = await tagsToCarry(from, options);
  // Storage classes differ between providers, so a copy at another provider gets the default class there.
  return preservedHeadersOf(from.provider === to.provider || options.isMove ? source : others, tags);
}

async function tagsToCarry(from: ObjectRef, options: CopyWork): Promise<string | undefined> {
  try {
    return await tagsOf(from, options);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (!options.isMove) return undefined;
    throw new SvcError(error.code, {
      detail: `the object was not moved, because its tags cannot be read and would be lost; copy it instead, or: ${error.detail ?? ''}`,
      cause: error,
    });
  }
}

async function copyAtOnce(
  from: ObjectRef,
  to: ObjectRef,
  source: Headers,
  { isMove, preserved, replace, ...options }: CopyWork & { readonly preserved: PreservedHeaders },
): Promise<CopiedObject> {
  const { provider, bucket, key } = to;
  const { signal } = options;
  // The conditions held for this version.
  const isPinned = isMove === true || SOURCE_CONDITIONS.some((name) => options[name] !== undefined);
  // Ceph misreads tags that are sent with a copy.
  const { 'x-amz-tagging': tagging, ...replaced }: Record<string, string | undefined> = {
    ...preserved,
    ...(replace && { 'x-amz-metadata-directive': 'REPLACE', ...headersOfCopy(source, replace) }),
  };
  const headers = {
    'x-amz-copy-source': copySourceOf(from),
    'x-amz-copy-source-if-match': isPinned ? source['etag'] : undefined,
    ...replaced,
  };
  const send = async (conditions: Record<string, string | undefined>) => {
    const request = { method: 'PUT', bucket, key, headers: { ...headers, ...conditions } } as const;
    const { fields } = await provider.s3.ask(request, 'CopyObjectResult', { signal, deadlineMs: LONG_WORK_MS });
    return { etag: etagIn(fields), 'last-modified': fields['LastModified'] };
  };
  const isDone = (there: Headers | undefined) => isWritten(there, source['etag'], headersOfCopy(source, replace));
  return withKeyLock(to, options, async () => {
    try {
      const sent = await sendConditionally(to, options, send, isDone);
      const { etag } = await writtenObject(to, sent['etag']);
      if (isPinned && isMove !== true) await requireSameVersion(from, to, source, { etag }, options);
      if (tagging !== undefined) await writeTags(to, tagging, options);
      return { etag, lastModified: timeOf(sent['last-modified']) ?? null };
    } catch (error) {
      if (isPinned && codeOf(error) === 'precondition_failed' && isAnotherVersion(source, await headOf(from, options)))
        throw changedMeanwhile();
      throw error;
    }
  });
}
