import { permittedBeneath } from '../access/authorize.ts';
import { copyAsks, splitByPermission, presignAsks, readAsks } from '../access/changes.ts';
import { invalidRequest, refuseFault } from '../access/invalid.ts';
import { prefixFault } from '../policy/model/name.ts';
import { timeOf } from '../storage/bucket-page.ts';
import { listObjects } from '../storage/listing.ts';
import { copyObject, moveObject } from '../storage/object-copy.ts';
import { deleteObject, deleteObjects } from '../storage/object-delete.ts';
import type { ObjectHeaders } from '../storage/object-headers.ts';
import { headObject } from '../storage/object-read.ts';
import { readTags } from '../storage/preserved-headers.ts';
import { presign } from '../storage/presign.ts';
import { finishAfterDisconnect } from './finish-after-disconnect.ts';
import { operation } from './operation.ts';
import { storedHeadersOf } from './stored-headers.ts';

export const listVisibleObjects = operation({
  name: 'object/list',
  access: { kind: 'policy', asks: () => [], each: 'objects:list' },
  run: async ({
    input: { provider, bucket, prefix = '', delimiter, cursor, startAfter, limit = 200 },
    caller,
    storage,
    services,
    trail,
    signal,
    hold,
  }) => {
    refuseFault('startAfter', prefixFault(startAfter ?? '', 'keep'));
    const place = permittedBeneath(caller, 'objects:list', services.targets.beneath(provider, bucket, prefix));
    if (place === undefined) return { objects: [], prefixes: [], nextCursor: null };
    trail.about({ provider, bucket, prefix });
    return listObjects(storage.open(place), {
      delimiter,
      cursor,
      startAfter,
      limit,
      grants: caller.effective,
      signal,
      hold,
    });
  },
});

export const describeObject = operation({
  name: 'object/head',
  access: {
    kind: 'policy',
    asks: ({ version, ...object }, at) => readAsks(at, object, version),
  },
  run: async ({ targets: [target], input: { version }, storage, trail, signal }) => {
    trail.ofVersion(version);
    const { headers } = await headObject(storage.open(target), { version, signal });
    return {
      key: target.key,
      size: Number(headers['content-length'] ?? 0),
      etag: headers['etag'] ?? '',
      lastModified: timeOf(headers['last-modified']) ?? null,
      contentType: headers['content-type']!,
      ...keepingOf(headers),
    };
  },
});

/** What storage says about how it keeps an object. */
function keepingOf({
  'x-amz-storage-class': storageClass,
  'x-amz-restore': restore,
  'x-amz-object-lock-mode': lockMode,
  'x-amz-object-lock-retain-until-date': lockedUntil,
  'x-amz-object-lock-legal-hold': hold,
}: ObjectHeaders) {
  return {
    ...(storageClass !== undefined && { storageClass }),
    ...(restore !== undefined && { restore }),
    ...(lockMode !== undefined && { lockMode }),
    ...(lockedUntil !== undefined && { lockedUntil }),
    ...(hold !== undefined && { legalHold: hold === 'ON' }),
  };
}

export const listTags = operation({
  name: 'object/tags',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key }, at) =>
      [{ action: 'objects:get', resource: at.object(provider, bucket, key) }] as const,
  },
  run: async ({ targets: [target], storage, signal }) => ({ tags: await readTags(storage.open(target), { signal }) }),
});

/** Deletes one object, which is allowed or refused as a whole, or several objects, each with its own outcome. */
export const removeObjects = operation({
  name: 'object/delete',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key, keys, ifMatch }, at) => {
      if ((key === undefined) === (keys === undefined))
        throw invalidRequest({ path: '', message: 'give either `key` or `keys`' });
      if (keys !== undefined && ifMatch !== undefined)
        throw invalidRequest({ path: 'ifMatch', message: 'goes with `key`' });
      return key === undefined
        ? []
        : [{ action: 'objects:delete', resource: at.object(provider, bucket, key) } as const];
    },
    each: 'objects:delete',
  },
  intends: true,
  run: async ({
    targets: [target],
    input: { provider, bucket, keys = [], ifMatch },
    caller,
    storage,
    services,
    trail,
    signal,
  }) => {
    if (target !== undefined) {
      await trail.intend();
      await finishAfterDisconnect(signal, (options) => deleteObject(storage.open(target), { ...options, ifMatch }));
      return { deleted: [target.key], failed: [] };
    }
    const { allowed, denied } = splitByPermission(
      services.targets,
      caller,
      'objects:delete',
      { provider, bucket },
      keys,
      trail,
    );
    if (allowed === undefined) return { deleted: [], failed: denied };
    await trail.intend();
    const { deleted, failed } = await finishAfterDisconnect(signal, (options) =>
      deleteObjects(storage.open(allowed), options),
    );
    for (const { key, code } of failed) trail.failedAt({ kind: 'object', provider, bucket, key }, code);
    return { deleted, failed: [...denied, ...failed] };
  },
});

export const copy = operation({
  name: 'object/copy',
  access: { kind: 'policy', asks: ({ to, move = false, ...from }, at) => copyAsks(at, from, to, move) },
  run: async ({
    targets: [source, target],
    input: { move = false, ifNoneMatch, replace, ...input },
    storage,
    signal,
  }) => {
    if (move && replace !== undefined) throw invalidRequest({ path: 'replace', message: 'does not go with `move`' });
    const { storageClass, ifMatch, sourceIfMatch, sourceIfNoneMatch, sourceIfModifiedSince, sourceIfUnmodifiedSince } =
      input;
    const { etag, lastModified } = await (move ? moveObject : copyObject)(storage.open(source), storage.open(target), {
      signal,
      ifNoneMatchAny: ifNoneMatch === '*',
      ifMatch,
      sourceIfMatch,
      sourceIfNoneMatch,
      sourceIfModifiedSince,
      sourceIfUnmodifiedSince,
      storageClass,
      replace: replace && { contentType: replace.contentType, stored: storedHeadersOf(replace.stored) },
    });
    return { provider: target.provider, bucket: target.bucket, key: target.key, etag, lastModified };
  },
});

export const presignObject = operation({
  name: 'object/presign',
  access: { kind: 'policy', asks: ({ method, ...object }, at) => presignAsks(at, object, method) },
  run: ({ targets: [target], input: { method, expiresIn }, storage }) =>
    presign(storage.open(target), method, expiresIn),
});
