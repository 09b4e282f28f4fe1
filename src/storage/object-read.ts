import type { Readable } from 'node:stream';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { requireOwnVersion } from './find-version.ts';
import { faultOfVersion, isVersion, requireVersion, versionQuery } from './object-version.ts';
import { headersOf, unchangedHeadersOf, type MoreHeaders, type ObjectHeaders } from './object-headers.ts';
import type { Abortable, ObjectRef } from './provider.ts';
import type { Headers } from './s3/fault.ts';

/** The conditions of a read. No other header of a client reaches storage. */
export type HeadConditions = Abortable &
  MoreHeaders & {
    readonly ifNoneMatch?: string | undefined;
    /** Ignored when `ifNoneMatch` is given. */
    readonly ifModifiedSince?: string | undefined;
    /** Reads this version instead of the newest. */
    readonly version?: string | undefined;
  };

export type ReadConditions = HeadConditions & {
  /** As in the `Range` header. Anything but one `bytes=` range is ignored, as RFC 9110 allows. */
  readonly range?: string | undefined;
  /** As in the `If-Range` header: the range is used only when the object still has this ETag. */
  readonly ifRange?: string | undefined;
  /** Reads the object only when it has this ETag; otherwise `precondition_failed`. */
  readonly ifMatch?: string | undefined;
};

/** A body that is announced with at most `wholeUpTo` bytes is read as a whole, which costs half as much as a stream. */
type Whole = { readonly wholeUpTo: number };

export type ObjectHead = { readonly status: 200 | 304; readonly headers: ObjectHeaders };

/** `body` is undefined when `status` is 304. Destroy a stream to end the transfer. */
export type ObjectRead<B = Readable> = {
  readonly status: 200 | 206 | 304;
  readonly headers: ObjectHeaders;
  readonly body: B | undefined;
};

/**
 * Opens an object for reading. The body is read from storage only as fast as it is consumed.
 *
 * @throws {SvcError} `not_found`, `range_not_satisfiable`; `storage_unavailable` when storage answers with other bytes than the asked ones.
 */
export function getObject(object: Permitted<ObjectRef>, conditions?: ReadConditions): Promise<ObjectRead>;
export function getObject(
  object: Permitted<ObjectRef>,
  conditions: ReadConditions & Whole,
): Promise<ObjectRead<Readable | Buffer>>;
export async function getObject(
  object: Permitted<ObjectRef>,
  conditions: ReadConditions & Partial<Whole> = {},
): Promise<ObjectRead<Readable | Buffer>> {
  const asked = headersFor(conditions);
  const { provider, bucket, key } = object;
  const { version } = conditions;
  await requireOwnVersion(object, version, conditions);
  try {
    const { status, headers, body } = await provider.s3.open(
      { method: 'GET', bucket, key, headers: asked, ...versionQuery(version) },
      conditions.signal,
      conditions.wholeUpTo,
    );
    if (status === 304) return { status, headers: unchangedHeadersOf(headers), body: undefined };
    const isOther = asked['if-match'] !== undefined && headers['etag'] !== asked['if-match'];
    const isOfNothing = /^bytes=-0+$/.test(asked['range'] ?? '');
    const isAsked = !isOther && !isOfNothing && (status === 200 || (status === 206 && isPart(headers, asked['range'])));
    if (isAsked && isVersion(headers, version))
      return { status, headers: headersOf(status, headers, conditions), body };
    drop(body);
    requireVersion(object, headers, version);
    if (isOther) throw new SvcError('precondition_failed', { detail: 'the object has changed' });
    // Ceph answers with the whole object.
    if (isOfNothing) throw new SvcError('range_not_satisfiable', { detail: 'the range has no bytes' });
    throw notAsAsked(provider, 'the asked bytes', status);
  } catch (error) {
    const isForIfRange = asked['if-match'] !== conditions.ifMatch;
    const code = codeOf(error);
    if (!isForIfRange || (code !== 'precondition_failed' && code !== 'range_not_satisfiable'))
      throw faultOfVersion(error, version);
    const whole: ObjectRead<Readable | Buffer> = await getObject(object, { ...conditions, range: undefined });
    // Storage that ignores `If-Match` may find the range unsatisfiable in another version than the one that is named.
    if (code === 'precondition_failed' || whole.headers.etag !== conditions.ifRange) return whole;
    drop(whole.body);
    throw error;
  }
}

/** Ends a transfer that nobody reads. */
export function drop(body: Readable | Buffer | undefined): void {
  if (!Buffer.isBuffer(body)) body?.destroy();
}

/** `body` is a buffer when the object has at most `wholeUpTo` bytes. */
export type WholeObject = { readonly headers: ObjectHeaders; readonly body: Buffer | Readable };

/**
 * Like {@link getObject}, but reads a small object as a whole, which costs half as much.
 *
 * @throws {SvcError} `not_found`; `storage_unavailable` when storage does not answer with the whole object.
 */
export async function getWholeObject(object: Permitted<ObjectRef>, options: Abortable & Whole): Promise<WholeObject> {
  const { status, headers, body } = await getObject(object, options);
  if (body === undefined) throw notAsAsked(object.provider, 'the whole object', status);
  return { headers, body };
}

/**
 * Gives the answer of {@link getObject} for the whole object, without the body.
 *
 * @throws {SvcError} `not_found`
 */
export async function headObject(object: Permitted<ObjectRef>, conditions: HeadConditions = {}): Promise<ObjectHead> {
  const { provider, bucket, key } = object;
  const { version, signal } = conditions;
  await requireOwnVersion(object, version, { signal });
  const { status, headers } = await provider.s3
    .send({ method: 'HEAD', bucket, key, headers: headersFor(conditions), ...versionQuery(version) }, { signal })
    .catch((error: unknown) => {
      throw faultOfVersion(error, version);
    });
  if (status !== 304) requireVersion(object, headers, version);
  if (status === 304) return { status, headers: unchangedHeadersOf(headers) };
  if (status === 206) throw notAsAsked(provider, 'the headers of the whole object', status);
  return { status: 200, headers: headersOf(200, headers, conditions) };
}

function notAsAsked({ name }: ObjectRef['provider'], what: string, status: number): SvcError {
  return new SvcError('storage_unavailable', {
    detail: `storage provider \`${name}\` did not answer with ${what} (${status}); check what lies between it and svc`,
  });
}

/** Whether a partial answer has the bytes of the range, and as many as it says. Of an object whose size storage does not say, it may have fewer. */
function isPart({ 'content-range': sent = '', 'content-length': length }: Headers, range = ''): boolean {
  const [, first, last, size] = (/^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(sent) ?? []).map<number>(Number);
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (first === undefined || last === undefined || size === undefined || from === undefined || to === undefined)
    return false;
  const bytes = last - first + 1;
  // Without its length nobody would notice that a part is cut short.
  if (bytes < 1 || Number(length) !== bytes) return false;
  const isSuffix = from === '';
  const end = isSuffix || to === '' ? Infinity : Number(to);
  if (Number.isNaN(size)) return isSuffix ? bytes <= Number(to) : first === Number(from) && last <= end;
  return first === (isSuffix ? Math.max(0, size - Number(to)) : Number(from)) && last === Math.min(end, size - 1);
}

function headersFor({
  range,
  ifRange,
  ifMatch,
  ifNoneMatch,
  ifModifiedSince,
  checksums,
}: ReadConditions): Record<string, string | undefined> {
  const isEntityTag = ifRange?.startsWith('"') === true;
  const isRange = range !== undefined && isOneRange(range) && (ifRange === undefined || isEntityTag);
  const time = new Date(ifModifiedSince ?? '');
  return {
    range: isRange ? range : undefined,
    'x-amz-checksum-mode': checksums === true ? 'ENABLED' : undefined,
    'if-match': isRange ? (ifRange ?? ifMatch) : ifMatch,
    'if-none-match': ifNoneMatch,
    'if-modified-since': ifNoneMatch !== undefined || Number.isNaN(time.getTime()) ? undefined : time.toUTCString(),
  };
}

function isOneRange(range: string): boolean {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? [];
  if (first === undefined || last === undefined || first + last === '') return false;
  return first === '' || last === '' || Number(first) <= Number(last);
}
