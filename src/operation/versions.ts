import { permittedBeneath } from '../access/authorize.ts';
import { invalidRequest } from '../access/invalid.ts';
import { purgeVersion, restoreVersion } from '../storage/object-restore.ts';
import { unarchive } from '../storage/object-unarchive.ts';
import { listVersions, listVersionsOfKey } from '../storage/version-listing.ts';
import { finishAfterDisconnect } from './finish-after-disconnect.ts';
import { operation } from './operation.ts';
import { requiredMoment } from './required-moment.ts';

export const listVisibleVersions = operation({
  name: 'object/listVersions',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key, prefix, delimiter }, at) => {
      if (key === undefined) return [];
      if (prefix !== undefined || delimiter !== undefined)
        throw invalidRequest({ path: 'key', message: 'goes without `prefix` and `delimiter`' });
      return [{ action: 'objects:versions', resource: at.object(provider, bucket, key) } as const];
    },
    each: 'objects:versions',
  },
  run: async ({
    input: { provider, bucket, key, prefix = '', delimiter, cursor, limit = 200 },
    caller,
    storage,
    services,
    trail,
    signal,
    hold,
  }) => {
    const scope = services.targets.beneath(provider, bucket, key ?? prefix);
    const place = permittedBeneath(caller, 'objects:versions', scope);
    if (place === undefined) return { versions: [], prefixes: [], nextCursor: null };
    if (key !== undefined) return listVersionsOfKey(storage.open(place), { cursor, limit, signal, hold });
    trail.about({ provider, bucket, prefix });
    return listVersions(storage.open(place), { delimiter, cursor, limit, grants: caller.effective, signal, hold });
  },
});

/** Restoring also asks `objects:write`, because it writes the object. */
export const restoreObject = operation({
  name: 'object/restore',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key }, at) => {
      const resource = at.object(provider, bucket, key);
      return [
        { action: 'objects:restore', resource },
        { action: 'objects:write', resource },
      ] as const;
    },
  },
  intends: true,
  run: async ({ targets: [target], input: { version, ifMatch, ifNoneMatch }, storage, trail, signal }) => {
    trail.ofVersion(version);
    await trail.intend();
    const restored = await finishAfterDisconnect(signal, (options) =>
      restoreVersion(storage.open(target), version, { ...options, ifMatch, ifNoneMatchAny: ifNoneMatch === '*' }),
    );
    return { provider: target.provider, bucket: target.bucket, key: target.key, ...restored };
  },
});

/** Asks storage to bring an archived object back, for some days. */
export const unarchiveObject = operation({
  name: 'object/unarchive',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key }, at) =>
      [{ action: 'objects:restore', resource: at.object(provider, bucket, key) }] as const,
  },
  run: async ({ targets: [target], input: { days = 7, tier = 'standard' }, storage, signal }) => ({
    key: target.key,
    status: await unarchive(storage.open(target), { days, tier, signal }),
  }),
});

export const purgeObject = operation({
  name: 'object/purge',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key }, at) =>
      [{ action: 'objects:purge', resource: at.object(provider, bucket, key) }] as const,
  },
  intends: true,
  run: async ({ targets: [target], input: { version, ifUnmodifiedSince: since }, storage, trail, signal }) => {
    const unmodifiedSince = since === undefined ? undefined : requiredMoment('ifUnmodifiedSince', since);
    trail.ofVersion(version);
    await trail.intend();
    await finishAfterDisconnect(signal, (options) =>
      purgeVersion(storage.open(target), version, { ...options, unmodifiedSince }),
    );
    return { key: target.key, version };
  },
});
