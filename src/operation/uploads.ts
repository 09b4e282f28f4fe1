import { permittedBeneath } from '../access/authorize.ts';
import type { Targets } from '../access/target.ts';
import { SvcError } from '../errors/svc-error.ts';
import { abortUpload, completeUpload, listParts, putPart, startUpload } from '../storage/multipart.ts';
import { heldBytesOf } from '../storage/object-write.ts';
import { copyPart } from '../storage/part-copy.ts';
import { listUploads } from '../storage/upload-list.ts';
import { finishAfterDisconnect } from './finish-after-disconnect.ts';
import { operation } from './operation.ts';
import { storedHeadersOf } from './stored-headers.ts';

/** Uploads in parts, for large files and for uploads that can pause. An upload id is valid for one key, and policy is asked about that key each time. */
type Key = { readonly provider: string; readonly bucket: string; readonly key: string };

const writesKey = {
  kind: 'policy',
  asks: ({ provider, bucket, key }: Key, at: Targets) =>
    [{ action: 'objects:write', resource: at.object(provider, bucket, key) }] as const,
} as const;

export const createUpload = operation({
  name: 'upload/create',
  access: writesKey,
  run: async ({ targets: [target], input: { contentType, stored }, storage, signal }) => {
    const headers = storedHeadersOf(stored);
    const { id } = await startUpload(storage.open(target), { contentType, stored: headers, signal });
    return { id, key: target.key };
  },
});

export const uploadPart = operation({
  name: 'upload/part',
  access: writesKey,
  holds: ({ size = 0 }) => ({ bytes: heldBytesOf(size) }),
  run: ({ targets: [target], input: { id, number, size, contentMd5 }, body, storage, signal }) => {
    if (size === undefined) throw new SvcError('invalid_request', { detail: 'a part needs a `Content-Length` header' });
    return putPart(storage.open(target), { id, number, size, body, contentMd5 }, { signal });
  },
});

export const getUpload = operation({
  name: 'upload/get',
  access: writesKey,
  run: async ({ targets: [target], input: { id }, storage, signal }) => ({
    parts: await listParts(storage.open(target), id, { signal }),
  }),
});

export const joinUpload = operation({
  name: 'upload/complete',
  access: writesKey,
  run: async ({ targets: [target], input: { id, parts, ifNoneMatch, ifMatch }, storage, signal }) => {
    const { etag, size } = await completeUpload(storage.open(target), id, parts, {
      signal,
      ifNoneMatchAny: ifNoneMatch === '*',
      ifMatch,
    });
    return { key: target.key, etag, size };
  },
});

export const dropUpload = operation({
  name: 'upload/abort',
  access: writesKey,
  run: async ({ targets: [target], input: { id }, storage, signal }) => {
    return {
      wasOpen: await finishAfterDisconnect(signal, (options) => abortUpload(storage.open(target), id, options)),
    };
  },
});

export const listOpenUploads = operation({
  name: 'upload/list',
  access: { kind: 'policy', asks: () => [], each: 'objects:write' },
  run: async ({
    input: { provider, bucket, prefix = '', cursor, limit = 200 },
    caller,
    storage,
    services,
    trail,
    signal,
  }) => {
    const place = permittedBeneath(caller, 'objects:write', services.targets.beneath(provider, bucket, prefix));
    if (place === undefined) return { uploads: [], nextCursor: null };
    trail.about({ provider, bucket, prefix });
    return listUploads(storage.open(place), { cursor, limit, grants: caller.effective, signal });
  },
});

export const copyIntoPart = operation({
  name: 'upload/copyPart',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key, from }, at) =>
      [
        { action: 'objects:get', resource: at.object(provider, from.bucket, from.key) },
        { action: 'objects:write', resource: at.object(provider, bucket, key) },
      ] as const,
  },
  // It reads and writes at once.
  holds: () => ({ connections: 2 }),
  run: ({ targets: [source, target], input: { id, number, range, ...input }, storage, signal }) => {
    const { sourceIfMatch, sourceIfNoneMatch, sourceIfModifiedSince, sourceIfUnmodifiedSince } = input;
    const conditions = { sourceIfMatch, sourceIfNoneMatch, sourceIfModifiedSince, sourceIfUnmodifiedSince };
    return copyPart(storage.open(source), storage.open(target), { id, number, range, ...conditions }, { signal });
  },
});
