import { codeOf, SvcError } from '../errors/svc-error.ts';
import type { Abortable, ConditionalWrite, ObjectRef } from './provider.ts';
import type { Headers } from './s3/fault.ts';
import { isFault } from './storage-error.ts';

// Storage ignores conditions, misreads them or refuses them, each for other requests. So no decision is left to storage: the writes of a key share a lock, and the
// object is looked at while the lock is held. The condition is sent too, because it also holds against writes that do not come through this process.

/**
 * Refuses to replace an object when `ifNoneMatchAny` is set.
 *
 * @throws {SvcError} `precondition_failed` when the object exists.
 */
export async function refuseToOverwrite(object: ObjectRef, options: ConditionalWrite): Promise<void> {
  if (!options.ifNoneMatchAny) return;
  try {
    await headOf(object, options);
  } catch (error) {
    if (codeOf(error) === 'not_found') return;
    throw error;
  }
  throw new SvcError('precondition_failed', { detail: 'an object with this key exists already' });
}

/** Writes while the lock of the key is held, after {@link refuseToOverwrite}. */
export function withKeyLock<T>(object: ObjectRef, options: ConditionalWrite, write: () => Promise<T>): Promise<T> {
  return object.provider.keyLocks.run(object.provider, object, options, async () => {
    await refuseToOverwrite(object, options);
    return write();
  });
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
      // Storage lacks the condition or misreads it, for example by comparing the ETag without its quotes, unless the object changed since the first look.
      await requireVersion();
      await provider.s3.send({ method: 'DELETE', bucket, key }, options);
    }
  });
}

export async function headOf({ provider, bucket, key }: ObjectRef, { signal }: Abortable): Promise<Headers> {
  return (await provider.s3.send({ method: 'HEAD', bucket, key }, { signal })).headers;
}

/** Whether an object changed. When its earlier `last-modified` is unknown, only the ETag is compared. */
export function isAnotherVersion(before: Headers, now: Headers): boolean {
  return before['etag'] !== now['etag'] || (before['last-modified'] ?? now['last-modified']) !== now['last-modified'];
}
