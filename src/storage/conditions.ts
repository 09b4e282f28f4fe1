import { isDeepStrictEqual } from 'node:util';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { storedHeadersOf } from './object-headers.ts';
import { versionQuery } from './object-version.ts';
import type { Abortable, ConditionalWrite, ObjectRef, StorageProvider } from './provider.ts';
import type { Headers } from './s3/fault.ts';
import type { S3Request } from './s3/request.ts';
import { isFault, mayBeDone } from './storage-error.ts';

// Storage ignores conditions, misreads them or refuses them, each for other requests. So no decision is left to storage: the writes of a key share a lock, and the
// object is looked at while the lock is held. The condition is sent too, because it also holds against writes that do not come through this process.

/**
 * Refuses a write whose conditions do not hold.
 *
 * @throws {SvcError} `precondition_failed`: the object exists, or is another one. `not_found`, which has no cause: there is none to replace.
 */
export async function requireConditions(object: ObjectRef, options: ConditionalWrite): Promise<void> {
  const { ifNoneMatchAny, ifMatch } = options;
  if (!ifNoneMatchAny && ifMatch === undefined) return;
  const there = await headIfThere(object, options);
  if (there !== undefined && ifNoneMatchAny)
    throw new SvcError('precondition_failed', { detail: 'an object with this key exists already' });
  if (ifMatch === undefined) return;
  if (there === undefined) throw new SvcError('not_found', { detail: 'there is no object with this key to replace' });
  requireEtag(there, ifMatch);
}

/** @throws {SvcError} `precondition_failed`: an object with these headers is not the one that `ifMatch` names. */
export function requireEtag(headers: Headers, ifMatch: string): void {
  if (ifMatch !== '*' && withoutQuotes(headers['etag'] ?? '') !== withoutQuotes(ifMatch))
    throw new SvcError('precondition_failed', { detail: 'the object has changed' });
}

/** Writes while the lock of the key is held, after {@link requireConditions}. */
export function withKeyLock<T>(object: ObjectRef, options: ConditionalWrite, write: () => Promise<T>): Promise<T> {
  return object.provider.keyLocks.run(object.provider, object, options, async () => {
    await requireConditions(object, options);
    return write();
  });
}

type ConditionHeaders = Readonly<Record<'if-match' | 'if-none-match', string | undefined>>;

/** The conditions as most storage reads them: an ETag without its quotes is understood by Ceph as well. */
function conditionHeaders({ ifNoneMatchAny, ifMatch }: ConditionalWrite, quote: '' | '"' = ''): ConditionHeaders {
  const etag = ifMatch === undefined || ifMatch === '*' ? ifMatch : `${quote}${withoutQuotes(ifMatch)}${quote}`;
  return { 'if-match': etag, 'if-none-match': ifNoneMatchAny ? '*' : undefined };
}

/** What is known of the headers of an object that was written. */
type Written = Readonly<Record<string, string | undefined>>;

/** Storage that takes no write with a condition, as Swift does. The lock of the key and the look at the object decide alone there. */
const takesNone = new WeakSet<StorageProvider>();

/**
 * Sends a write with its conditions, while the lock of the key is held. Where storage refuses an `If-Match` that holds, because it misreads or lacks it, the
 * write is sent with other quotes, and at last without it; and where it takes no condition, without any.
 *
 * Where the answer of storage was lost and the write was sent again, a condition that held does not hold any more if the write was carried out.
 *
 * @param write - may be called several times.
 * @param isDone - whether the object that is there now, if there is one, is what the write leaves.
 */
export async function sendConditionally(
  object: ObjectRef,
  options: ConditionalWrite,
  write: (conditions: ConditionHeaders) => Promise<Written>,
  isDone: (there: Headers | undefined) => boolean | Promise<boolean>,
): Promise<Written> {
  const send = (conditions: ConditionHeaders): Promise<Written> =>
    write(conditions).catch(async (error: unknown) => {
      if (codeOf(error) !== 'precondition_failed' || !mayBeDone(error)) throw error;
      const there = await headIfThere(object, options);
      if (!(await isDone(there))) throw error;
      return there ?? {};
    });
  const { ifMatch } = options;
  const forms = ifMatch === undefined ? [] : ifMatch === '*' ? ([''] as const) : (['', '"'] as const);
  for (const quote of forms) {
    try {
      return await send(conditionHeaders(options, quote));
    } catch (error) {
      if (!isFault(error, 'NotImplemented', 501) && codeOf(error) !== 'precondition_failed') throw error;
      await requireConditions(object, options);
    }
  }
  const { ifNoneMatchAny } = options;
  try {
    return await send(conditionHeaders(takesNone.has(object.provider) ? {} : { ifNoneMatchAny }));
  } catch (error) {
    if (!ifNoneMatchAny || !isFault(error, 'NotImplemented', 501)) throw error;
    await requireConditions(object, options);
    return send(conditionHeaders({}));
  }
}

/**
 * Whether an object is the one that a write with these headers leaves. Storage that encrypts gives ETags that are not known before; such an object is not taken for
 * the one that was written, because it may be somebody else's.
 */
export function isWritten(there: Headers | undefined, etag: string | undefined, headers: Written): boolean {
  return (
    there !== undefined &&
    etag !== undefined &&
    withoutQuotes(there['etag'] ?? '') === withoutQuotes(etag) &&
    isDeepStrictEqual(keptOf(there), keptOf(headers))
  );
}

function keptOf(headers: Written): Headers {
  const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const { 'content-type': type = '', ...others } = Object.fromEntries(given) as Headers;
  return { ...storedHeadersOf(others), 'content-type': type };
}

/** The last writes that storage refused together with their condition, perhaps for another reason. */
const doubted = new WeakMap<StorageProvider, Set<string>>();
const MAX_DOUBTED = 100;

/**
 * Sends a write that cannot be sent again, with its conditions.
 *
 * @throws {SvcError} `storage_unavailable`: storage does not implement the write. The same write is sent without its conditions the next time, and when it
 *   succeeds, storage gets no conditions from then on.
 */
export async function sendOnceConditionally<T>(
  provider: StorageProvider,
  request: S3Request,
  options: ConditionalWrite,
  send: (request: S3Request) => Promise<T>,
): Promise<T> {
  const { ifNoneMatchAny, ifMatch } = options;
  if (!ifNoneMatchAny && ifMatch === undefined) return send(request);
  const doubts = doubted.get(provider) ?? new Set();
  doubted.set(provider, doubts);
  const write = JSON.stringify([request.bucket, request.key, request.headers]);
  const isDoubted = doubts.delete(write);
  // Others may find out meanwhile that storage takes no condition.
  const isWithout = isDoubted || takesNone.has(provider);
  try {
    const answer = await send(
      isWithout ? request : { ...request, headers: { ...request.headers, ...conditionHeaders(options) } },
    );
    if (isDoubted) takesNone.add(provider);
    return answer;
  } catch (error) {
    if (isWithout || !isFault(error, 'NotImplemented', 501)) throw error;
    doubts.add(write);
    if (doubts.size > MAX_DOUBTED) doubts.delete(doubts.values().next().value ?? '');
    throw new SvcError('storage_unavailable', {
      detail: `storage provider \`${provider.name}\` does not take this write with its condition; try again, so that svc alone looks at the condition`,
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}

function withoutQuotes(etag: string): string {
  return etag.replaceAll('"', '');
}

/**
 * Deletes one version of an object, while the lock of its key is held.
 *
 * @throws {SvcError} `precondition_failed`: the object is another version now.
 */
export function deleteVersion(object: ObjectRef, version: Headers, options: Abortable): Promise<void> {
  const { provider, bucket, key } = object;
  const requireVersion = async (): Promise<void> => {
    if (isAnotherVersion(version, await headOf(object, options)))
      throw new SvcError('precondition_failed', { detail: 'the object has changed' });
  };
  return provider.keyLocks.run(provider, object, options, async () => {
    await requireVersion();
    try {
      await provider.s3.send({ method: 'DELETE', bucket, key, headers: { 'if-match': version['etag'] } }, options);
    } catch (error) {
      if (isFault(error, 'NoSuchKey')) return;
      if (!isFault(error, 'NotImplemented', 501) && codeOf(error) !== 'precondition_failed') throw error;
      if (mayBeDone(error) && (await headIfThere(object, options)) === undefined) return;
      // Storage lacks the condition or misreads it, for example by comparing the ETag without its quotes, unless the object changed since the first look.
      await requireVersion();
      await provider.s3.send({ method: 'DELETE', bucket, key }, options);
    }
  });
}

export async function headOf(
  { provider, bucket, key }: ObjectRef,
  { signal }: Abortable,
  version?: string,
): Promise<Headers> {
  return (await provider.s3.send({ method: 'HEAD', bucket, key, ...versionQuery(version) }, { signal })).headers;
}

/** @returns undefined when there is no such object. */
export async function headIfThere(object: ObjectRef, options: Abortable): Promise<Headers | undefined> {
  return headOf(object, options).catch((error: unknown) => {
    if (codeOf(error) === 'not_found') return undefined;
    throw error;
  });
}

/** Whether an object changed. When its earlier `last-modified` is unknown, only the ETag is compared. */
export function isAnotherVersion(before: Headers, now: Headers): boolean {
  return before['etag'] !== now['etag'] || (before['last-modified'] ?? now['last-modified']) !== now['last-modified'];
}
