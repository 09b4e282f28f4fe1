import { Readable } from 'node:stream';
import { SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { headOf } from './conditions.ts';
import { putPart } from './multipart.ts';
import { faultOfPart, sizeOf, streamPart } from './object-copy-in-parts.ts';
import { heldBytesOf } from './object-write.ts';
import type { Abortable, ObjectRef } from './provider.ts';
import { requireSource, type SourceConditions } from './unmet-condition.ts';

/** `id` is that of the upload; `range` as in `x-amz-copy-source-range`. */
export type NewPartCopy = SourceConditions & {
  readonly id: string;
  readonly number: number;
  readonly range?: string | undefined;
};

export type CopiedPart = { readonly number: number; readonly etag: string; readonly lastModified: string };

/**
 * Makes a part of an upload from a range of an object. The bytes pass through this process: Ceph decodes the name of the source of a part twice, and would
 * copy another object than the one about which policy was asked.
 *
 * @throws {SvcError} `not_found`, `precondition_failed`, `range_not_satisfiable`, `payload_too_large`; `conflict` when the source changes in the meantime.
 */
export async function copyPart(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  { id, number, range, ...conditions }: NewPartCopy,
  { signal }: Abortable = {},
): Promise<CopiedPart> {
  const source = await headOf(from, { signal });
  requireSource(source, conditions);
  const etag = await partOf(from, to, source, { id, number, range: rangeIn(sizeOf(source), range) }, signal);
  return { number, etag, lastModified: new Date().toISOString() };
}

type Ranged = { readonly id: string; readonly number: number; readonly range: string | undefined };

async function partOf(
  from: Permitted<ObjectRef>,
  to: Permitted<ObjectRef>,
  { etag }: Awaited<ReturnType<typeof headOf>>,
  { id, number, range }: Ranged,
  signal: Abortable['signal'],
): Promise<string> {
  if (range === undefined)
    return (await putPart(to, { id, number, size: 0, body: Readable.from([]) }, { signal })).etag;
  try {
    return await streamPart(from, to, { id, number, range, etag }, signal);
  } catch (error) {
    throw faultOfPart(error);
  }
}

/** The range to read; undefined when the source is empty and wanted as a whole. */
function rangeIn(size: number, range: string | undefined): string | undefined {
  if (range === undefined) {
    heldBytesOf(size);
    return size === 0 ? undefined : `bytes=0-${size - 1}`;
  }
  const [first, last] = range.slice('bytes='.length).split('-').map(Number) as [number, number];
  if (first > last || last >= size)
    throw new SvcError('range_not_satisfiable', { detail: `the source has ${size} bytes; name a range within them` });
  heldBytesOf(last - first + 1);
  return range;
}
