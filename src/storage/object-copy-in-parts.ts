import { eitherSignal, type StopSignal } from '../bounds/stop-signal.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { headOf, isAnotherVersion, requireConditions, withKeyLock } from './conditions.ts';
import { putPart } from './multipart.ts';
import { getObject } from './object-read.ts';
import { writtenObject, type WrittenObject } from './object-write.ts';
import { writeTags } from './preserved-headers.ts';
import type { ConditionalWrite, ObjectRef } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import type { Headers } from './s3/fault.ts';
import { pathOf } from '../sigv4/sigv4.ts';
import { inUpload, joinParts, MAX_PARTS, partQuery, sendParts } from './upload-calls.ts';

const PART_COPIES_AT_ONCE = 4;
/**
 * Characters of a key of which storage copies no part. Ceph decodes the source of a part twice and then looks for a version: it would copy `a b` for `a%20b`,
 * and `x` for `x?versionId=null`, about which policy was not asked. The gateway crashes on a `%` that encodes nothing. A `+` may be decoded to a space.
 */
const MISREAD_IN_PARTS = /[%+?]/;

export type PartsOptions = ConditionalWrite & {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Runs while the lock of the target is held, before the object is written. When it throws, nothing is written. */
  readonly beforeWrite?: () => Promise<void>;
};

/**
 * Copies an object that is too large for a single copy, with the given headers. Whoever copies the parts, none of them is held in memory.
 *
 * @param version - the version of the source to copy, instead of the newest.
 */
export async function copyInParts(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  source: Headers,
  { headers, beforeWrite, ...options }: PartsOptions,
  part: number,
  version?: string,
): Promise<WrittenObject> {
  const { signal } = options;
  const isThrough = from.provider !== to.provider || MISREAD_IN_PARTS.test(from.key);
  const [copyPart, atOnce] = isThrough ? [streamPart, 1] : [copyPartAtOnce, PART_COPIES_AT_ONCE];
  await requireConditions(to, options);
  // Ceph makes tags that are sent with the beginning of an upload unreadable.
  const { 'x-amz-tagging': tagging, ...others } = headers;
  return inUpload(to, others, async (id) => {
    const failed = new AbortController();
    const either = eitherSignal(signal, failed.signal);
    const ranges = rangesOf(sizeOf(source), part).values();
    const parts = await sendParts(ranges, atOnce, failed, (range, number) =>
      copyPart(from, to, { id, number, range, etag: source['etag'], version }, either).catch((error: unknown) => {
        throw faultOfPart(error);
      }),
    );
    // Not all storage supports the condition on part copies, so the source is checked again.
    if (isAnotherVersion(source, await headOf(from, { signal }, version))) throw changedMeanwhile();
    return withKeyLock(to, options, async () => {
      await beforeWrite?.();
      const written = await writtenObject(to, await joinParts(to, id, parts, options));
      if (tagging !== undefined) await writeTags(to, tagging, options);
      return written;
    });
  });
}

/** `etag` is that of the source, and `id` that of the upload. */
type PartCopy = {
  readonly id: string;
  readonly number: number;
  readonly range: string;
  readonly etag: string | undefined;
  readonly version?: string | undefined;
};

async function copyPartAtOnce(
  from: ObjectRef,
  { provider, bucket, key }: ObjectRef,
  { id, number, range, etag, version }: PartCopy,
  signal: AbortSignal,
): Promise<string | undefined> {
  const headers = {
    'x-amz-copy-source': copySourceOf(from, version),
    'x-amz-copy-source-range': range,
    'x-amz-copy-source-if-match': etag,
  };
  const request = { method: 'PUT', bucket, key, query: partQuery(id, number), headers } as const;
  return (await provider.s3.ask(request, 'CopyPartResult', { signal, deadlineMs: LONG_WORK_MS })).fields['ETag'];
}

/** Reads a range of one version of the source, and writes it as a part. */
export async function streamPart(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  { id, number, range, etag, version }: PartCopy,
  signal: StopSignal | undefined,
): Promise<string> {
  const { body, headers } = await getObject(from, { range, ifMatch: etag, version, signal });
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

/** The `x-amz-copy-source` of an object, or of one version of it. Storage decodes it. */
export function copySourceOf({ bucket, key }: ObjectRef, version?: string): string {
  return `${bucket}/${pathOf(key)}${version === undefined ? '' : `?versionId=${encodeURIComponent(version)}`}`;
}

export function sizeOf(source: Headers): number {
  return Number(source['content-length'] ?? 0);
}

/** The fault of a part. Storage that ignores its condition has no such range when the source became shorter. */
export function faultOfPart(error: unknown): unknown {
  const code = codeOf(error);
  return code === 'precondition_failed' || code === 'range_not_satisfiable' ? changedMeanwhile() : error;
}

/** The fault when the source of a copy is another object than it was at first. */
export function changedMeanwhile(): SvcError {
  return new SvcError('conflict', {
    detail: 'the source changed while it was copied, and was left as it is; try again',
  });
}
