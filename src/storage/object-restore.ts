import { SvcError } from '../errors/svc-error.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import { timeOf } from './bucket-page.ts';
import { versioningOf } from './bucket-info.ts';
import {
  headIfThere,
  headOf,
  isWritten,
  requireConditions,
  requireEtag,
  sendConditionally,
  withKeyLock,
} from './conditions.ts';
import { findVersion, noSuchVersion } from './find-version.ts';
import { copyInParts, copySourceOf } from './object-copy-in-parts.ts';
import { BEFORE_VERSION, streamThrough } from './object-copy-through.ts';
import { SIZES, type CopySizes } from './object-copy.ts';
import { storedHeadersOf } from './object-headers.ts';
import { isVersion, versionQuery } from './object-version.ts';
import type { WrittenObject } from './object-write.ts';
import { preservedHeadersOf, tagsOf } from './preserved-headers.ts';
import type { ConditionalWrite, Abortable, ObjectRef } from './provider.ts';
import { LONG_WORK_MS } from './s3/client.ts';
import { requireSameContent } from './same-content.ts';
import { faultBehind, passOverGone } from './storage-error.ts';
import { fetchVersions, type ListedVersion } from './version-page.ts';

/** `version` is the newest one of the key now. `isRestored` is false when it was the newest before, so that nothing was done. */
export type RestoredObject = {
  readonly version: string;
  readonly etag: string;
  readonly lastModified: string | null;
  readonly isRestored: boolean;
};

/**
 * Brings a version back: copies it on top of the others, with its metadata, while the lock of the key is held. Nothing is deleted, no delete marker either.
 *
 * @throws {SvcError} `not_found`: there is no such version. `conflict`: it is a delete marker; or the bucket keeps no versions now, and the newest content would
 *   be lost. `precondition_failed`: a condition about the newest version does not hold.
 */
export async function restoreVersion(
  object: Permitted<ObjectRef>,
  version: string,
  options: ConditionalWrite = {},
  sizes = SIZES,
): Promise<RestoredObject> {
  const { newest, wanted, hasNull } = await findVersion(object, version, options);
  if (wanted === undefined) throw noSuchVersion();
  if (wanted.isDeleteMarker)
    throw new SvcError('conflict', { detail: 'this version is a deletion, which has no content to bring back' });
  if (newest?.version === version) {
    await requireConditions(object, options);
    return { ...resultOf(newest), isRestored: false };
  }
  if (hasNull && version !== 'null') await requireKept(object, options);
  await copyVersion(object, wanted, options, sizes);
  return { ...resultOf((await newestOf(object, options)) ?? wanted), isRestored: true };
}

/**
 * Copies a version on top of the others.
 *
 * @param options - `over`: the newest version, which was listed before; without it, whatever is the newest.
 * @throws {SvcError} `conflict`: it has to be fetched from an archive first, or storage stored other bytes than those of the version. `precondition_failed`: the newest version is not `over` any more.
 */
export async function copyVersion(
  object: Permitted<ObjectRef>,
  { version, size, etag, storageClass }: ListedVersion,
  { over, ...options }: ConditionalWrite & { readonly over?: ListedVersion },
  sizes: CopySizes = SIZES,
): Promise<void> {
  const { provider, bucket, key } = object;
  const { signal } = options;
  // A write that came before the lock may have left content that the copy would replace.
  const beforeWrite = async (): Promise<void> => {
    if (over !== undefined) await requireNewest(object, over, options);
    const newest = over ?? (await newestOf(object, options));
    if (newest?.version === 'null' && !newest.isDeleteMarker && version !== 'null') await requireKept(object, options);
  };
  const isLarge = size > sizes.single;
  if (isLarge || key.includes(BEFORE_VERSION)) {
    const source = await headOf(object, options, version);
    const tags = await tagsOf(object, options, version);
    const headers = {
      'content-type': source['content-type'],
      ...storedHeadersOf(source),
      ...preservedHeadersOf(source, tags),
    };
    const work = { ...options, headers, beforeWrite };
    if (!isLarge) {
      await streamThrough(object, object, source, work, version);
      return;
    }
    const written = await copyInParts(object, object, source, work, sizes.part, version);
    const remove = () => takeBack(object, written);
    // A copy onto itself has changed its source.
    if (!isVersion(await headOf(object, options), version))
      await requireSameContent(object, object, source, written, { version, remove, signal });
    return;
  }
  const headers = {
    'x-amz-copy-source': copySourceOf(object, version),
    'x-amz-copy-source-if-match': etag ?? undefined,
    'x-amz-storage-class': storageClass === null || storageClass === 'STANDARD' ? undefined : storageClass,
  };
  await withKeyLock(object, options, async () => {
    await beforeWrite();
    const copy = async (conditions: Readonly<Record<string, string | undefined>>) => {
      const request = { method: 'PUT', bucket, key, headers: { ...headers, ...conditions } } as const;
      return (await provider.s3.ask(request, 'CopyObjectResult', { signal, deadlineMs: LONG_WORK_MS })).fields;
    };
    await sendConditionally(object, options, copy, async (there) =>
      isWritten(there, etag ?? undefined, await headOf(object, options, version)),
    );
  });
}

/** Deletes the newest version for ever, if it is the one that was written, so that the one before it is the newest again. */
async function takeBack(object: ObjectRef, { etag }: WrittenObject): Promise<void> {
  const { provider } = object;
  await provider.keyLocks.run(provider, object, {}, async () => {
    const newest = await headOf(object, {});
    requireEtag(newest, etag);
    // Storage may name no version that was written while the bucket kept none; without one, it would write a deletion.
    const version = newest['x-amz-version-id'] ?? 'null';
    await deleteForEver(object, version, {});
  });
}

/**
 * Deletes one version for ever. When it is the newest one, the one before it becomes the newest.
 *
 * @param options - `unmodifiedSince`, in milliseconds since the epoch: a later version of this id, which can only be `null`, stays.
 * @throws {SvcError} `not_found`: there is no such version. `precondition_failed`: it is later. `conflict`: a lock or a legal hold keeps it.
 */
export async function purgeVersion(
  object: Permitted<ObjectRef>,
  version: string,
  { unmodifiedSince = Infinity, ...options }: Abortable & { readonly unmodifiedSince?: number | undefined },
): Promise<void> {
  const { provider } = object;
  await provider.keyLocks.run(provider, object, options, async () => {
    // Storage that does not know versions would delete the object itself.
    const { wanted } = await findVersion(object, version, options);
    if (wanted === undefined) throw noSuchVersion();
    if (Date.parse(wanted.lastModified) > unmodifiedSince)
      throw new SvcError('precondition_failed', { detail: 'other content has this version now' });
    try {
      await deleteForEver(object, version, options);
    } catch (error) {
      throw (faultBehind(error) && (await lockOf(object, version, options))) ?? error;
    }
  });
}

async function deleteForEver({ provider, bucket, key }: ObjectRef, version: string, options: Abortable): Promise<void> {
  await provider.s3.send({ method: 'DELETE', bucket, key, ...versionQuery(version) }, options).catch(passOverGone);
}

/** The refusal for a version that a lock or a legal hold keeps. Storage says in many ways that it does not delete it, and not why. */
async function lockOf(object: ObjectRef, version: string, options: Abortable): Promise<SvcError | undefined> {
  const headers = await headOf(object, options, version).catch(() => undefined);
  const until = headers?.['x-amz-object-lock-retain-until-date'];
  const detail =
    headers?.['x-amz-object-lock-legal-hold'] === 'ON'
      ? 'there is a legal hold on this version; it cannot be deleted for ever until the hold ends'
      : until !== undefined && Date.parse(until) > Date.now()
        ? `this version is locked until ${timeOf(until) ?? until}; it cannot be deleted for ever before`
        : undefined;
  return detail === undefined ? undefined : new SvcError('conflict', { detail });
}

/**
 * Deletes an object, so that its versions stay, unless its newest version is another one than when it was listed.
 *
 * @throws {SvcError} `precondition_failed`: it is another one. `conflict`: the bucket keeps no versions now.
 */
export async function deleteOver(object: Permitted<ObjectRef>, over: ListedVersion, options: Abortable): Promise<void> {
  const { provider, bucket, key } = object;
  await provider.keyLocks.run(provider, object, options, async () => {
    await requireNewest(object, over, options);
    await requireKept(object, options);
    await provider.s3.send({ method: 'DELETE', bucket, key }, options);
  });
}

/**
 * Whether the newest content is already the one of a version, as far as its size and its ETag tell; without a version, whether the object is deleted. The copy
 * of an object that was sent in parts may have another ETag, but not one of as many parts.
 */
export async function isAlready(
  object: Permitted<ObjectRef>,
  version: ListedVersion | undefined,
  options: Abortable,
): Promise<boolean> {
  // This costs storage much less than a listing of versions.
  const headers = await headIfThere(object, options);
  if (version === undefined || headers === undefined) return version === undefined && headers === undefined;
  if (Number(headers['content-length']) !== version.size) return false;
  const parts = partsIn(version.etag);
  return headers['etag'] === version.etag || (parts !== undefined && partsIn(headers['etag']) !== parts);
}

/** The number of parts, as it is in the ETag of an object that was sent in parts. */
function partsIn(etag: string | null | undefined): string | undefined {
  return /-\d+"?$/.exec(etag ?? '')?.[0];
}

/** One deletion is as good as another. */
async function requireNewest(object: ObjectRef, over: ListedVersion, options: Abortable): Promise<void> {
  const headers = await headIfThere(object, options);
  const isSame =
    headers === undefined
      ? over.isDeleteMarker
      : headers['etag'] === over.etag &&
        (headers['x-amz-version-id'] ?? 'null') === over.version &&
        // Other content may have the same version: `null`. Headers give its time in whole seconds.
        (over.version !== 'null' || secondOf(headers['last-modified']) === secondOf(over.lastModified));
  if (!isSame) throw new SvcError('precondition_failed', { detail: 'the object has changed' });
}

function secondOf(time: string | undefined): number {
  return Math.floor(Date.parse(time ?? '') / 1000);
}

/** @throws {SvcError} `conflict`: the bucket keeps no versions now, so that a write loses the content that has the version `null`. */
export async function requireKept(object: ObjectRef, options: Abortable): Promise<void> {
  if ((await versioningOf(object, options)) === 'enabled') return;
  throw new SvcError('conflict', {
    detail: 'the bucket keeps no new versions, so content of this object would be lost; turn its versioning on first',
  });
}

async function newestOf(object: ObjectRef, { signal }: Abortable): Promise<ListedVersion | undefined> {
  const place = { provider: object.provider, bucket: object.bucket, prefix: object.key };
  const { entries } = await fetchVersions(place, { after: { key: '' }, maxKeys: 1, signal });
  return entries[0]?.name === object.key ? entries[0].version : undefined;
}

function resultOf({ version, etag, lastModified }: ListedVersion): Omit<RestoredObject, 'isRestored'> {
  return { version, etag: etag ?? '', lastModified: timeOf(lastModified) ?? null };
}
