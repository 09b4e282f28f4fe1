import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/permitted.ts';
import { carriedHeadersOf, requireCarried, tagsOf, type CarriedHeaders } from './carried-headers.ts';
import { deleteObject } from './object-delete.ts';
import { storedHeadersOf } from './object-headers.ts';
import { getObject } from './object-read.ts';
import { inTurn, putObject, refuseToOverwrite, writtenObject, type WrittenObject } from './object-write.ts';
import type { Abortable, ConditionalWrite, ObjectRef } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import type { Headers } from './s3/fault.ts';
import { pathOf } from './s3/signature.ts';
import { inUpload, joinParts, MAX_PARTS, partQuery, sendParts } from './upload-calls.ts';

type CopyOptions = ConditionalWrite & {
  /** Whether the source is deleted afterwards, so that none of its properties may be lost. */
  readonly isMove?: boolean;
  readonly carried?: CarriedHeaders;
};

const GIB = 2 ** 30;
/** The largest object that storage copies in one request. */
const MAX_SINGLE_COPY_BYTES = 5 * GIB;
const MIN_COPY_PART_BYTES = GIB / 2;
const PART_COPIES_AT_ONCE = 4;

/**
 * Copies an object with its content type and metadata. Within a provider, storage copies an object of any size itself. Between providers, the object is
 * streamed through this process.
 *
 * @throws {SvcError} `invalid_request` when source and target are the same; `not_found`; `precondition_failed`; `conflict` when the source changes in the
 *   meantime.
 */
export async function copyObject(from: Permitted<ObjectRef>, to: Permitted<ObjectRef>, options: ConditionalWrite = {}): Promise<WrittenObject> {
  return (await copy(from, to, options)).written;
}

/**
 * Copies an object, then deletes the source.
 *
 * @throws {SvcError} like {@link copyObject}. The source stays when the copy failed or is incomplete, or when the source changed in the meantime.
 */
export async function moveObject(from: Permitted<ObjectRef>, to: Permitted<ObjectRef>, options: ConditionalWrite = {}): Promise<WrittenObject> {
  const { source: before, carried, written } = await copy(from, to, { ...options, isMove: true });
  try {
    if (!isCopiedAtOnce(from, to, before)) await requireCarried(to, carried, options);
    // Writes through this process wait for the turn. `ifMatch` protects against all other writes.
    await from.provider.turns.use(from.provider, from, options, async () => {
      const now = await headOf(from, options);
      if (isAnotherVersion(before, now) || (await mayBeSameObject(from, to, now, options))) throw changedMeanwhile();
      await deleteObject(from, { ...options, ifMatch: before['etag'] });
    });
  } catch (error) {
    const fault = codeOf(error) === 'precondition_failed' ? changedMeanwhile() : error;
    if (!(fault instanceof SvcError)) throw fault;
    const detail = `the object is at \`${textOf(to)}\` now, and could not be deleted at \`${textOf(from)}\`: ${fault.detail ?? ''}`;
    throw new SvcError(fault.code, { members: fault.members, detail, cause: fault });
  }
  return written;
}

async function copy(from: Permitted<ObjectRef>, to: Permitted<ObjectRef>, options: CopyOptions): Promise<{ readonly source: Headers; readonly carried: CarriedHeaders; readonly written: WrittenObject }> {
  // Two providers may be two names of one storage.
  const sameStorage = from.provider === to.provider || from.provider.endpoint === to.provider.endpoint;
  if (sameStorage && from.bucket === to.bucket && from.key === to.key) {
    throw new SvcError('invalid_request', { detail: 'the source and the target are the same object; choose another target' });
  }
  const source = await headOf(from, options);
  const carried = await carriedBy(from, to, source, options);
  const how = from.provider !== to.provider ? streamThrough : isCopiedAtOnce(from, to, source) ? copyAtOnce : copyInParts;
  return { source, carried, written: await how(from, to, source, { ...options, carried }) };
}

/** The properties that the copy has to set. When storage copies in one request, it copies everything but the storage class. */
async function carriedBy(from: ObjectRef, to: ObjectRef, source: Headers, options: CopyOptions): Promise<CarriedHeaders> {
  const { 'x-amz-storage-class': storageClass, ...others } = source;
  if (isCopiedAtOnce(from, to, source)) return storageClass === undefined ? {} : { 'x-amz-storage-class': storageClass };
  const tags = await tagsToCarry(from, options);
  // Storage classes differ between providers, so a copy at another provider gets the default class there.
  return carriedHeadersOf(from.provider === to.provider || options.isMove ? source : others, tags);
}

async function tagsToCarry(from: ObjectRef, options: CopyOptions): Promise<string | undefined> {
  try {
    return await tagsOf(from, options);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (!options.isMove) return undefined;
    throw new SvcError(error.code, { detail: `the object was not moved, because its tags cannot be read and would be lost; copy it instead, or: ${error.detail ?? ''}`, cause: error });
  }
}

function isCopiedAtOnce(from: ObjectRef, to: ObjectRef, source: Headers): boolean {
  return from.provider === to.provider && sizeOf(source) <= MAX_SINGLE_COPY_BYTES;
}

function textOf({ provider, bucket, key }: ObjectRef): string {
  return `${provider.name}/${bucket}/${key}`;
}

async function headOf({ provider, bucket, key }: ObjectRef, { signal }: Abortable): Promise<Headers> {
  return (await provider.s3.send({ method: 'HEAD', bucket, key }, { signal })).headers;
}

function sizeOf(source: Headers): number {
  return Number(source['content-length'] ?? 0);
}

function changedMeanwhile(): SvcError {
  return new SvcError('conflict', { detail: 'the source changed while it was copied, and was left as it is; try again' });
}

function isAnotherVersion(a: Headers, b: Headers): boolean {
  return a['etag'] !== b['etag'] || a['last-modified'] !== b['last-modified'];
}

/** Two endpoints that look different may lead to one storage; deleting the source would then delete the target. */
async function mayBeSameObject(from: ObjectRef, to: ObjectRef, source: Headers, options: Abortable): Promise<boolean> {
  if (from.provider === to.provider || from.bucket !== to.bucket || from.key !== to.key) return false;
  return !isAnotherVersion(source, await headOf(to, options));
}

async function copyAtOnce(from: ObjectRef, to: ObjectRef, source: Headers, { isMove, carried, ...options }: CopyOptions): Promise<WrittenObject> {
  const { provider, bucket, key } = to;
  const { signal, ifNoneMatchAny } = options;
  const conditions = { 'if-none-match': ifNoneMatchAny ? '*' : undefined, 'x-amz-copy-source-if-match': isMove ? source['etag'] : undefined };
  const headers = { 'x-amz-copy-source': copySourceOf(from), ...carried, ...conditions };
  return inTurn(to, options, async () => {
    try {
      const { fields } = await provider.s3.ask({ method: 'PUT', bucket, key, headers }, 'CopyObjectResult', { signal, deadlineMs: LONG_WORK_MS });
      return await writtenObject(to, fields['ETag']);
    } catch (error) {
      if (isMove && codeOf(error) === 'precondition_failed' && isAnotherVersion(source, await headOf(from, options))) throw changedMeanwhile();
      throw error;
    }
  });
}

async function streamThrough(from: Permitted<ObjectRef>, to: Permitted<ObjectRef>, source: Headers, { carried, ...options }: CopyOptions): Promise<WrittenObject> {
  const { body, headers } = await getObject(from, { signal: options.signal, ifMatch: source['etag'] }).catch((error: unknown) => {
    throw codeOf(error) === 'precondition_failed' ? changedMeanwhile() : error;
  });
  if (body === undefined) throw changedMeanwhile();
  try {
    const size = headers['content-length'] ?? source['content-length'];
    // Not all storage supports the condition. New content must not be stored with the headers of the old content, nor a part of it as the whole.
    if (headers.etag !== source['etag'] || size !== (source['content-length'] ?? size)) throw changedMeanwhile();
    return await putObject(to, body, {
      ...options,
      contentType: source['content-type'],
      contentLength: size === undefined ? undefined : Number(size),
      stored: { ...storedHeadersOf(source), ...carried },
    });
  } finally {
    body.destroy();
  }
}

/** Copies an object that is too large for a single copy. `partBytes` is set by tests only. */
export async function copyInParts(from: ObjectRef, to: ObjectRef, source: Headers, { carried, ...options }: CopyOptions, partBytes = MIN_COPY_PART_BYTES): Promise<WrittenObject> {
  const { provider, bucket, key } = to;
  const { signal } = options;
  await refuseToOverwrite(to, options);
  return inUpload(to, { 'content-type': source['content-type'], ...storedHeadersOf(source), ...carried }, async (id) => {
    const failed = new AbortController();
    const eitherSignal = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
    const ranges = rangesOf(sizeOf(source), partBytes).values();
    const parts = await sendParts(ranges, PART_COPIES_AT_ONCE, failed, async (range, number) => {
      const headers = { 'x-amz-copy-source': copySourceOf(from), 'x-amz-copy-source-range': range, 'x-amz-copy-source-if-match': source['etag'] };
      const { fields } = await provider.s3.ask({ method: 'PUT', bucket, key, query: partQuery(id, number), headers }, 'CopyPartResult', { signal: eitherSignal, deadlineMs: LONG_WORK_MS });
      return fields['ETag'];
    });
    // Not all storage supports the condition on part copies, so the source is checked again.
    if ((await headOf(from, { signal }))['etag'] !== source['etag']) throw changedMeanwhile();
    return inTurn(to, options, async () => writtenObject(to, await joinParts(to, id, parts, options)));
  });
}

/** The byte range of each part of an object of `size` bytes. There are never more parts than storage accepts. */
export function rangesOf(size: number, minPartBytes: number): string[] {
  const partBytes = Math.max(minPartBytes, Math.ceil(size / MAX_PARTS));
  return Array.from({ length: Math.ceil(size / partBytes) }, (_, i) => `bytes=${i * partBytes}-${Math.min(size, (i + 1) * partBytes) - 1}`);
}

/** The `x-amz-copy-source` of an object. Storage decodes it. */
function copySourceOf({ bucket, key }: ObjectRef): string {
  return `${bucket}/${pathOf(key)}`;
}
