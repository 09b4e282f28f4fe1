import { codeOf, SvcError } from '../errors/svc-error.ts';
import { mayBeMerged } from '../policy/model/name.ts';
import { deleteVersion, headOf, isAnotherVersion } from './conditions.ts';
import { versionQuery } from './object-version.ts';
import type { WrittenObject } from './object-write.ts';
import type { Abortable, ObjectRef } from './provider.ts';
import type { Answer } from './s3/client.ts';
import type { Headers } from './s3/fault.ts';

/** How much of both ends of a copy is compared with the source. */
const COMPARED_BYTES = 65_536;

/**
 * Compares the length and both ends of a copy with its source. Storage that misreads the name of the source has stored other bytes, which policy may deny
 * to the person, so a copy that is not proven is deleted.
 *
 * @param more - `version`: the version of the source, instead of the newest. `remove` deletes the copy in another way than an object.
 * @throws {SvcError} `conflict`.
 */
export async function requireSameContent(
  from: ObjectRef,
  to: ObjectRef,
  source: Headers,
  { etag }: WrittenObject,
  {
    version,
    remove = () => deleteVersion(to, { etag }, {}),
    ...options
  }: Abortable & { readonly version?: string; readonly remove?: () => Promise<void> },
): Promise<void> {
  const last = Number(source['content-length']) - 1;
  const ends = [
    [0, Math.min(last, COMPARED_BYTES - 1)],
    [Math.max(0, last - COMPARED_BYTES + 1), last],
  ];
  try {
    for (const [first, end] of ends) {
      const range = `bytes=${first}-${end}`;
      const [original, copied] = await Promise.all([
        rangeOf(from, range, options, version),
        rangeOf(to, range, options),
      ]);
      if (original.headers['etag'] !== source['etag'])
        throw conflict('the source changed while it was copied; try again');
      const isSame =
        original.headers['content-range'] === copied.headers['content-range'] && original.body.equals(copied.body);
      if (!isSame)
        throw conflict(
          `storage provider \`${to.provider.name}\` stored other bytes than those of the source; download and upload it instead`,
        );
    }
  } catch (error) {
    const left = await remove().then(() => undefined, whyLeft);
    if (left === undefined || !(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, { detail: `${error.detail ?? ''}; ${left}`, cause: error });
  }
}

/**
 * Requires that a copy was made from the version that met the conditions, because Ceph ignores those about the source. The ETags are the same, unless the source
 * was sent in parts.
 *
 * @throws {SvcError} `conflict`. The copy stays, because what it replaced is lost anyway.
 */
export async function requireSameVersion(
  from: ObjectRef,
  to: ObjectRef,
  source: Headers,
  { etag }: WrittenObject,
  options: Abortable,
): Promise<void> {
  const isItself = from.bucket === to.bucket && from.key === to.key;
  if (isItself || etag === source['etag'] || !isAnotherVersion(source, await headOf(from, options))) return;
  throw conflict(
    `the source changed while it was copied, and its newer content may be at \`${textOf(to)}\` now; look at both, and try again`,
  );
}

/**
 * Refuses a move between two keys that some storage takes for one: the source, which is deleted, would be the target.
 *
 * @throws {SvcError} `invalid_request`.
 */
export function refuseMergedKeys(from: string, to: string): void {
  if (!mayBeMerged(from, to)) return;
  throw new SvcError('invalid_request', {
    detail:
      'the names differ in empty parts alone, and some storage takes them for one object; copy it, and delete the source when both are there',
  });
}

/** Two endpoints that look different may lead to one storage; deleting the source would then delete the target. */
export async function mayBeSameObject(
  from: ObjectRef,
  to: ObjectRef,
  source: Headers,
  options: Abortable,
): Promise<boolean> {
  if (from.provider === to.provider || from.bucket !== to.bucket || !mayBeMerged(from.key, to.key)) return false;
  return !isAnotherVersion(source, await headOf(to, options));
}

function whyLeft(error: unknown): string {
  if (codeOf(error) !== 'precondition_failed') return 'the wrong copy could not be deleted: delete it';
  return 'the target was left, because somebody else may have written it by now: compare it, and delete it if it is wrong';
}

export function textOf({ provider, bucket, key }: ObjectRef): string {
  return `${provider.name}/${bucket}/${key}`;
}

function rangeOf(
  { provider, bucket, key }: ObjectRef,
  range: string,
  { signal }: Abortable,
  version?: string,
): Promise<Answer> {
  return provider.s3.send({ method: 'GET', bucket, key, headers: { range }, ...versionQuery(version) }, { signal });
}

function conflict(detail: string): SvcError {
  return new SvcError('conflict', { detail });
}
