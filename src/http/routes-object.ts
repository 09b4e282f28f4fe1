import { allowedBeneath } from '../policy/beneath.ts';
import { maskOf } from '../policy/action.ts';
import { copyAsks, partKeys, presignAsks } from '../access/changes.ts';
import { copyObject, moveObject } from '../storage/object-copy.ts';
import { deleteObject, deleteObjects } from '../storage/object-delete.ts';
import { listObjects } from '../storage/listing.ts';
import { presign } from '../storage/presign.ts';
import { bucketPath, copyRequest, copyResult, deleteKeys, deleteResult, listQuery, objectList, objectQuery, presignRequest, presignResult } from '../wire/storage.ts';
import type { KeyedParts } from './keyed-parts.ts';
import { route, type Route } from './route.ts';
import { mustNotExist } from './routes-transfer.ts';

const MEBIBYTE = 1_048_576;
const BUCKET = '/api/providers/:provider/buckets/:bucket';

/** Listing objects, and what is done to them without moving their bytes through the service. */
export function objectRoutes({ storage, targets: at }: KeyedParts): Route[] {
  return [
    route({
      method: 'get',
      path: `${BUCKET}/objects`,
      tag: 'Objects',
      operation: 'object/list',
      summary: 'The objects that you may list',
      description: 'Sorted by the UTF-8 bytes of the key. With a `delimiter`, a common prefix is shown when there is a key beneath it that you may list.',
      params: bucketPath,
      query: listQuery,
      access: { kind: 'each' },
      responses: { 200: { description: 'A page; empty when you may list nothing here.', schema: objectList } },
      handle: async ({ caller, input, signal }) => {
        const { delimiter, cursor, limit } = input.query;
        const { provider, bucket, prefix } = at.beneath(input.path.provider, input.path.bucket, input.query.prefix);
        const visible = allowedBeneath(caller.effective, { provider, bucket, prefix }) & maskOf('objects:list');
        if (visible === 0) return { status: 200, json: { objects: [], prefixes: [], next_cursor: null } };
        const page = await listObjects(storage.provider(provider), { bucket, prefix, delimiter, cursor, limit, grants: caller.effective, signal });
        return { status: 200, json: page };
      },
    }),
    route({
      method: 'delete',
      path: `${BUCKET}/object`,
      tag: 'Objects',
      operation: 'object/delete',
      summary: 'Delete an object',
      params: bucketPath,
      query: objectQuery,
      access: { kind: 'asks', asks: ({ path, query }) => [{ action: 'objects:delete', resource: at.object(path.provider, path.bucket, query.key) }] as const },
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ targets: [target], signal }) => {
        await deleteObject(storage.provider(target.provider), target, { signal });
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: `${BUCKET}/objects/delete`,
      tag: 'Objects',
      operation: 'object/delete',
      summary: 'Delete up to 1000 objects',
      params: bucketPath,
      body: deleteKeys,
      maxBodyBytes: MEBIBYTE,
      access: { kind: 'each' },
      responses: { 200: { description: 'What became of each key.', schema: deleteResult } },
      handle: async ({ caller, input, trail, signal }) => {
        const { provider, bucket } = input.path;
        const { allowed, denied } = partKeys(at, caller, 'objects:delete', input.path, input.body.keys, trail);
        if (allowed.length === 0) return { status: 200, json: { deleted: [], failed: denied } };
        const { deleted, failed } = await deleteObjects(storage.provider(provider), bucket, allowed, { signal });
        for (const { key, code } of failed) trail.failedAt(at.object(provider, bucket, key), code);
        return { status: 200, json: { deleted, failed: [...denied, ...failed] } };
      },
    }),
    route({
      method: 'post',
      path: `${BUCKET}/objects/copy`,
      tag: 'Objects',
      operation: 'object/copy',
      summary: 'Copy or move an object',
      description: 'To another key, bucket or provider. With `move` the source is deleted once the target stands. `If-None-Match: *` refuses to overwrite.',
      params: bucketPath,
      body: copyRequest,
      access: { kind: 'asks', asks: ({ path, body }) => copyAsks(at, { ...path, key: body.key }, body.to, body.move) },
      requestHeaders: ['If-None-Match: *'],
      responses: { 200: { description: 'The target stands.', schema: copyResult } },
      problems: ['precondition_failed'],
      handle: async ({ targets: [source, target], input, req, signal }) => {
        const options = { signal, ifNoneMatchAny: mustNotExist(req) };
        const from = { provider: storage.provider(source.provider), bucket: source.bucket, key: source.key };
        const to = { provider: storage.provider(target.provider), bucket: target.bucket, key: target.key };
        const { etag } = await (input.body.move ? moveObject(from, to, options) : copyObject(from, to, options));
        return { status: 200, json: { provider: target.provider, bucket: target.bucket, key: target.key, etag } };
      },
    }),
    route({
      method: 'post',
      path: `${BUCKET}/object/presign`,
      tag: 'Objects',
      operation: 'object/presign',
      summary: 'Make a link that works without signing in',
      params: bucketPath,
      body: presignRequest,
      access: { kind: 'asks', asks: ({ path, body }) => presignAsks(at, { ...path, key: body.key }, body.method) },
      responses: { 200: { description: 'The link, and when it really ends.', schema: presignResult } },
      handle: async ({ targets: [target], input }) => ({
        status: 200,
        json: await presign(storage.provider(target.provider), target, input.body.method, input.body.expires_in),
      }),
    }),
  ];
}
