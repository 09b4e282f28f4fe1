import { permitted, permittedBeneath } from '../access/authorize.ts';
import { readAsks, splitByPermission } from '../access/changes.ts';
import { bucketTarget } from '../access/target.ts';
import { invalidRequest, refuseFault } from '../access/invalid.ts';
import { codeOf } from '../errors/svc-error.ts';
import { archive, ARCHIVE_HOLDS, emptyArchive } from '../storage/archive.ts';
import { drop, getObject, headObject } from '../storage/object-read.ts';
import { replaceContent } from '../storage/object-replace.ts';
import { unmetCondition } from '../storage/unmet-condition.ts';
import { heldBytesOf, putObject } from '../storage/object-write.ts';
import { operation } from './operation.ts';
import { storedHeadersOf } from './stored-headers.ts';

/** A larger object is sent on as it arrives. */
const SMALL_BYTES = 65_536;

/** Operations that move bytes of objects through the service: downloads, uploads and ZIP archives. */
export const readObject = operation({
  name: 'object/read',
  access: {
    kind: 'policy',
    asks: ({ version, ...object }, at) => readAsks(at, object, version),
  },
  run: async ({
    targets: [target],
    input: { version, range, ifRange, ifNoneMatch, ifModifiedSince, headersOnly, stored, checksums, ...requirements },
    storage,
    trail,
    signal,
  }) => {
    trail.ofVersion(version);
    const conditions = {
      version,
      ifNoneMatch,
      ifModifiedSince,
      stored: stored === '1',
      checksums: checksums === '1',
      signal,
    };
    if (headersOnly === '1') trail.isOnly('object/head');
    const object = storage.open(target);
    const read =
      headersOnly === '1'
        ? { ...(await headObject(object, conditions)), body: undefined }
        : await getObject(object, { ...conditions, range, ifRange, wholeUpTo: SMALL_BYTES }).catch(
            async (error: unknown) => {
              const isRequired = requirements.ifMatch !== undefined || requirements.ifUnmodifiedSince !== undefined;
              if (codeOf(error) !== 'range_not_satisfiable' || !isRequired) throw error;
              // What the client requires comes before the range, which may lie outside of another object.
              throw unmetCondition((await headObject(object, { version, signal })).headers, requirements) ?? error;
            },
          );
    const unmet = unmetCondition(read.headers, requirements);
    if (unmet === undefined) return read;
    drop(read.body);
    throw unmet;
  },
});

export const writeObject = operation({
  name: 'object/write',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key, keep }, at) => {
      const resource = at.object(provider, bucket, key);
      const write = { action: 'objects:write', resource } as const;
      return keep === '1' ? ([write, { action: 'objects:get', resource }] as const) : ([write] as const);
    },
  },
  holds: ({ size }) => ({ bytes: heldBytesOf(size) }),
  run: async (performance) => {
    const {
      targets: [target],
      input: { contentType, contentMd5, size, ifNoneMatch, ifMatch, keep, stored },
      storage,
      signal,
    } = performance;
    const object = storage.open(target);
    const content = { signal, contentMd5, contentLength: size };
    if (keep === '1') {
      if (ifMatch === undefined) throw invalidRequest({ path: 'ifMatch', message: 'is required with `keep`' });
      if (stored !== undefined)
        throw invalidRequest({ path: 'keep', message: 'goes with a ticket that was created without `stored`' });
      const { etag } = await replaceContent(object, performance, { ...content, ifMatch });
      return { key: target.key, etag };
    }
    const { etag } = await putObject(object, performance, {
      ...content,
      contentType,
      ifNoneMatchAny: ifNoneMatch === '*',
      ifMatch,
      stored: storedHeadersOf(stored),
    });
    return { key: target.key, etag };
  },
});

/**
 * Streams an archive. The request is refused when the caller may not read one of the named keys, unless `skipDenied` is set. Beneath a prefix, keys that may
 * not be listed or read are left out.
 */
export const archiveObjects = operation({
  name: 'object/archive',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, keys = [], skipDenied = false }, at) =>
      (skipDenied ? [] : keys).map(
        (key) => ({ action: 'objects:get', resource: at.object(provider, bucket, key) }) as const,
      ),
    each: 'objects:get',
  },
  holds: () => ARCHIVE_HOLDS,
  run: async ({ input, caller, storage, services, trail, signal, hold }) => {
    const { targets: at } = services;
    const { provider, bucket } = bucketTarget(input.provider, input.bucket);
    const { keys = [], prefixes = [], skipDenied = false } = input;
    if (input.keys === undefined && input.prefixes === undefined)
      throw invalidRequest({ path: 'body', message: 'name `keys`, `prefixes`, or both' });
    if (skipDenied) splitByPermission(at, caller, 'objects:get', { provider, bucket }, keys, trail);
    for (const prefix of prefixes) {
      at.beneath(provider, bucket, prefix);
      trail.about({ provider, bucket, prefix });
    }
    const place = permittedBeneath(caller, 'objects:get', { provider, bucket });
    const permit = (key: string) => {
      const object = permitted(caller, 'objects:get', at.object(provider, bucket, key));
      return object && storage.open(object);
    };
    const body =
      place === undefined
        ? emptyArchive()
        : await archive(storage.open(place), { keys, prefixes, permit, grants: caller.effective, signal, hold });
    return { status: 200 as const, headers: {}, body };
  },
});

/** Characters. Many tickets may wait, each of which keeps its headers. */
const MAX_TICKET_STORED = 4_096;

/** Makes a URL for one transfer. Clients send no further credential with it. */
export const createTransfer = operation({
  name: 'transfer/create',
  access: {
    kind: 'policy',
    asks: ({ direction, upload, version, stored, ...object }, at) => {
      if (version !== undefined && direction !== 'download')
        throw invalidRequest({ path: 'params.version', message: 'goes with the direction `download`' });
      if (upload !== undefined && direction !== 'upload')
        throw invalidRequest({ path: 'params.upload', message: 'goes with the direction `upload`' });
      if (stored !== undefined && (direction !== 'upload' || upload !== undefined))
        throw invalidRequest({
          path: 'params.stored',
          message: 'goes with the direction `upload`; for an object in parts, `upload/create` takes it',
        });
      return direction === 'download'
        ? readAsks(at, object, version)
        : ([{ action: 'objects:write', resource: at.object(object.provider, object.bucket, object.key) }] as const);
    },
  },
  run: async ({ targets: [target], input: { direction, upload, version, stored }, caller, services, trail }) => {
    trail.ofVersion(version);
    refuseFault(
      'params.stored',
      JSON.stringify(storedHeadersOf(stored)).length > MAX_TICKET_STORED ? 'has more than 4 KiB in all' : undefined,
    );
    const { ticket, expiresAt } = await services.tickets.issue(caller, { direction, target, upload, version, stored });
    return {
      url: `${services.home}/v1/transfers/${ticket}`,
      method: direction === 'download' ? ('GET' as const) : ('PUT' as const),
      expiresAt: new Date(expiresAt).toISOString(),
    };
  },
});
