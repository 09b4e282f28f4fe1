import { eitherSignal } from '../bounds/stop-signal.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { preservedHeadersOf, requirePreserved, tagsOf, type PreservedHeaders } from './preserved-headers.ts';
import { deleteVersion, headOf, withKeyLock, isAnotherVersion, refuseToOverwrite } from './conditions.ts';
import { storedHeadersOf } from './object-headers.ts';
import { putPart } from './multipart.ts';
import { getObject } from './object-read.ts';
import { putObject, writtenObject, type WrittenObject } from './object-write.ts';
import type { Abortable, ConditionalWrite, ObjectRef } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import type { Headers } from './s3/fault.ts';
import { pathOf } from './s3/signature.ts';
import { requireSameContent } from './same-content.ts';
import { etagIn, inUpload, joinParts, MAX_PARTS, partQuery, sendParts } from './upload-calls.ts';

type CopyOptions = ConditionalWrite & {
  /** Whether the source is deleted afterwards, so that none of its properties may be lost. */
  readonly isMove?: boolean;
  readonly preserved?: PreservedHeaders;
};

/** `single`: the largest object that storage copies in one request. `part`: the smallest part of a larger one. Tests set smaller sizes. */
export type CopySizes = { readonly single: number; readonly part: number };

const GIB = 2 ** 30;
const SIZES: CopySizes = { single: 5 * GIB, part: GIB / 2 };
const PART_COPIES_AT_ONCE = 4;
/**
 * Characters of a key of which storage copies no part. Ceph decodes the source of a part twice and then looks for a version: it would copy `a b` for `a%20b`,
 * and `x` for `x?versionId=null`, about which policy was not asked. The gateway crashes on a `%` that encodes nothing. A `+` may be decoded to a space.
 */
const MISREAD_IN_PARTS = /[%+?]/;

/**
 * Copies an object with its content type and metadata. Within a provider, storage copies an object of any size itself, unless it would
 * misread the key. Otherwise the object is streamed through this process.
 *
 * @throws {SvcError} `invalid_request` when source and target are the same; `not_found`; `precondition_failed`; `conflict` when the source changes in the
 *   meantime.
 */
export async function copyObject(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  options: ConditionalWrite = {},
  sizes = SIZES,
): Promise<WrittenObject> {
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
  options: ConditionalWrite = {},
  sizes = SIZES,
): Promise<WrittenObject> {
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
  readonly written: WrittenObject;
};

async function copy(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  options: CopyOptions,
  sizes: CopySizes,
): Promise<Copied> {
  // Two providers may be two names of one storage.
  const sameStorage = from.provider === to.provider || from.provider.endpoint === to.provider.endpoint;
  if (sameStorage && from.bucket === to.bucket && from.key === to.key) {
    throw new SvcError('invalid_request', {
      detail: 'the source and the target are the same object; choose another target',
    });
  }
  const source = await headOf(from, options);
  const isLarge = sizeOf(source) > sizes.single;
  const isAtOnce = from.provider === to.provider && !isLarge;
  const preserved = await preservedIn(from, to, source, { ...options, isAtOnce });
  const how = isAtOnce ? copyAtOnce : isLarge ? copyInParts : streamThrough;
  const written = await how(from, to, source, { ...options, preserved }, sizes);
  if (isLarge) await requireSameContent(from, to, source, written, options);
  return { source, preserved, isAtOnce, written };
}

/** The properties that the copy has to set. When storage copies in one request, it copies everything but the storage class. */
async function preservedIn(
  from: ObjectRef,
  to: ObjectRef,
  source: Headers,
  { isAtOnce, ...options }: CopyOptions & { readonly isAtOnce: boolean },
): Promise<PreservedHeaders> {
  const { 'x-amz-storage-class': storageClass, ...others } = source;
  if (isAtOnce) return storageClass === undefined ? {} : { 'x-amz-storage-class': storageClass };
  const tags = await tagsToCarry(from, options);
  // Storage classes differ between providers, so a copy at another provider gets the default class there.
  return preservedHeadersOf(from.provider === to.provider || options.isMove ? source : others, tags);
}

async function tagsToCarry(from: ObjectRef, options: CopyOptions): Promise<string | undefined> {
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

function textOf({ provider, bucket, key }: ObjectRef): string {
  return `${provider.name}/${bucket}/${key}`;
}

function sizeOf(source: Headers): number {
  return Number(source['content-length'] ?? 0);
}

function changedMeanwhile(): SvcError {
  return new SvcError('conflict', {
    detail: 'the source changed while it was copied, and was left as it is; try again',
  });
}

/** Two endpoints that look different may lead to one storage; deleting the source would then delete the target. */
async function mayBeSameObject(from: ObjectRef, to: ObjectRef, source: Headers, options: Abortable): Promise<boolean> {
  if (from.provider === to.provider || from.bucket !== to.bucket || from.key !== to.key) return false;
  return !isAnotherVersion(source, await headOf(to, options));
}

async function copyAtOnce(
  from: ObjectRef,
  to: ObjectRef,
  source: Headers,
  { isMove, preserved, ...options }: CopyOptions,
): Promise<WrittenObject> {
  const { provider, bucket, key } = to;
  const { signal, ifNoneMatchAny } = options;
  const conditions = {
    'if-none-match': ifNoneMatchAny ? '*' : undefined,
    'x-amz-copy-source-if-match': isMove ? source['etag'] : undefined,
  };
  const headers = { 'x-amz-copy-source': copySourceOf(from), ...preserved, ...conditions };
  return withKeyLock(to, options, async () => {
    try {
      const { fields } = await provider.s3.ask({ method: 'PUT', bucket, key, headers }, 'CopyObjectResult', {
        signal,
        deadlineMs: LONG_WORK_MS,
      });
      return await writtenObject(to, etagIn(fields));
    } catch (error) {
      if (isMove && codeOf(error) === 'precondition_failed' && isAnotherVersion(source, await headOf(from, options)))
        throw changedMeanwhile();
      throw error;
    }
  });
}

async function streamThrough(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  source: Headers,
  { preserved, ...options }: CopyOptions,
): Promise<WrittenObject> {
  const { body, headers } = await getObject(from, { signal: options.signal, ifMatch: source['etag'] }).catch(
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
      contentType: source['content-type'],
      contentLength: size === undefined ? undefined : Number(size),
      stored: { ...storedHeadersOf(source), ...preserved },
    });
  } finally {
    body.destroy();
  }
}

/** Copies an object that is too large for a single copy. Whoever copies the parts, none of them is held in memory. */
async function copyInParts(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  source: Headers,
  { preserved, ...options }: CopyOptions,
  { part }: CopySizes,
): Promise<WrittenObject> {
  const { signal } = options;
  const isThrough = from.provider !== to.provider || MISREAD_IN_PARTS.test(from.key);
  const [copyPart, atOnce] = isThrough ? [streamPart, 1] : [copyPartAtOnce, PART_COPIES_AT_ONCE];
  await refuseToOverwrite(to, options);
  return inUpload(
    to,
    { 'content-type': source['content-type'], ...storedHeadersOf(source), ...preserved },
    async (id) => {
      const failed = new AbortController();
      const either = eitherSignal(signal, failed.signal);
      const ranges = rangesOf(sizeOf(source), part).values();
      const parts = await sendParts(ranges, atOnce, failed, (range, number) =>
        copyPart(from, to, { id, number, range, etag: source['etag'] }, either).catch((error: unknown) => {
          throw codeOf(error) === 'precondition_failed' ? changedMeanwhile() : error;
        }),
      );
      // Not all storage supports the condition on part copies, so the source is checked again.
      if (isAnotherVersion(source, await headOf(from, { signal }))) throw changedMeanwhile();
      return withKeyLock(to, options, async () => writtenObject(to, await joinParts(to, id, parts, options)));
    },
  );
}

/** `etag` is that of the source, and `id` that of the upload. */
type PartCopy = {
  readonly id: string;
  readonly number: number;
  readonly range: string;
  readonly etag: string | undefined;
};

async function copyPartAtOnce(
  from: ObjectRef,
  { provider, bucket, key }: ObjectRef,
  { id, number, range, etag }: PartCopy,
  signal: AbortSignal,
): Promise<string | undefined> {
  const headers = {
    'x-amz-copy-source': copySourceOf(from),
    'x-amz-copy-source-range': range,
    'x-amz-copy-source-if-match': etag,
  };
  const request = { method: 'PUT', bucket, key, query: partQuery(id, number), headers } as const;
  return (await provider.s3.ask(request, 'CopyPartResult', { signal, deadlineMs: LONG_WORK_MS })).fields['ETag'];
}

async function streamPart(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  { id, number, range, etag }: PartCopy,
  signal: AbortSignal,
): Promise<string> {
  const { body, headers } = await getObject(from, { range, ifMatch: etag, signal });
  const [first, last] = range.slice('bytes='.length).split('-').map(Number) as [number, number];
  const size = last - first + 1;
  try {
    // The whole must not be stored as a part of the content.
    if (body === undefined || headers['content-length'] !== String(size)) throw changedMeanwhile();
    return (await putPart(to, { id, number, size, body }, { signal })).etag;
  } finally {
    body?.destroy();
  }
}

/** The byte range of each part of an object of `size` bytes. There are never more parts than storage accepts. */
export function rangesOf(size: number, minPartBytes: number): string[] {
  const partBytes = Math.max(minPartBytes, Math.ceil(size / MAX_PARTS));
  return Array.from(
    { length: Math.ceil(size / partBytes) },
    (_, i) => `bytes=${i * partBytes}-${Math.min(size, (i + 1) * partBytes) - 1}`,
  );
}

/** The `x-amz-copy-source` of an object. Storage decodes it. */
function copySourceOf({ bucket, key }: ObjectRef): string {
  return `${bucket}/${pathOf(key)}`;
}
