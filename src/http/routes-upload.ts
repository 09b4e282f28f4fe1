import { SvcError } from '../errors/svc-error.ts';
import type { ObjectResource } from '../policy/resource.ts';
import { abortUpload, completeUpload, listParts, putPart, startUpload } from '../storage/multipart.ts';
import type { Storage } from '../storage/storage.ts';
import { bucketPath, completeRequest, newUpload, objectQuery, part, partList, partPath, upload, uploadPath, writtenObject } from '../wire/storage.ts';
import type { KeyedParts } from './keyed-parts.ts';
import { route, type Reply, type Route, type RouteRequest } from './route.ts';
import { contentLengthOf, mustNotExist } from './routes-transfer.ts';

const UPLOADS = '/api/providers/:provider/buckets/:bucket/uploads';

type KeyInput = { readonly path: { readonly provider: string; readonly bucket: string }; readonly query: { readonly key: string } };

/** Uploads in parts: what is large, or must be able to pause. */
export function uploadRoutes({ storage, targets: at }: KeyedParts): Route[] {
  /** An upload id counts for one key, so every request names the key, and policy is asked about it each time. */
  const writesKey = {
    kind: 'asks',
    asks: ({ path, query }: KeyInput) => [{ action: 'objects:write', resource: at.object(path.provider, path.bucket, query.key) }] as const,
  } as const;
  return [
    route({
      method: 'post',
      path: UPLOADS,
      tag: 'Uploads',
      operation: 'upload/create',
      summary: 'Begin an upload in parts',
      params: bucketPath,
      body: newUpload,
      access: { kind: 'asks', asks: ({ path, body }) => [{ action: 'objects:write', resource: at.object(path.provider, path.bucket, body.key) }] as const },
      responses: { 201: { description: 'It has begun.', schema: upload } },
      handle: async ({ targets: [target], input, signal }) => {
        const { id } = await startUpload(storage.provider(target.provider), target, { contentType: input.body.content_type, signal });
        return { status: 201, json: { id, key: target.key } };
      },
    }),
    route({
      method: 'put',
      path: `${UPLOADS}/:id/parts/:n`,
      tag: 'Uploads',
      operation: 'upload/part',
      summary: 'Send one part',
      description: 'The body is the part; `Content-Length` is needed. All parts but the last are at least 5 MiB. A part sent again replaces the one before.',
      params: partPath,
      query: objectQuery,
      body: 'stream',
      access: writesKey,
      responses: { 200: { description: 'It arrived.', schema: part } },
      handle: ({ targets: [target], input, req, signal }) => receivePart(storage, { ...target, id: input.path.id }, input.path.n, { req, signal }),
    }),
    route({
      method: 'get',
      path: `${UPLOADS}/:id`,
      tag: 'Uploads',
      operation: 'upload/get',
      summary: 'The parts that arrived',
      description: 'So that an upload can go on where it stopped.',
      params: uploadPath,
      query: objectQuery,
      access: writesKey,
      responses: { 200: { description: 'By number.', schema: partList } },
      handle: async ({ targets: [target], input, signal }) => ({
        status: 200,
        json: { parts: await listParts(storage.provider(target.provider), { ...target, id: input.path.id }, { signal }) },
      }),
    }),
    route({
      method: 'post',
      path: `${UPLOADS}/:id/complete`,
      tag: 'Uploads',
      operation: 'upload/complete',
      summary: 'Join the parts into the object',
      description: 'Exactly the parts that are named are joined. `conflict` names as `parts` the numbers of those that storage does not have, or has with another ETag. `If-None-Match: *` refuses to overwrite; the parts stay.',
      params: uploadPath,
      query: objectQuery,
      body: completeRequest,
      maxBodyBytes: 1_150_000,
      access: writesKey,
      requestHeaders: ['If-None-Match: *'],
      responses: { 200: { description: 'The object stands.', schema: writtenObject } },
      problems: ['conflict', 'precondition_failed'],
      handle: async ({ targets: [target], input, req, signal }) => {
        const { etag } = await completeUpload(storage.provider(target.provider), { ...target, id: input.path.id }, input.body.parts, { signal, ifNoneMatchAny: mustNotExist(req) });
        return { status: 200, json: { key: target.key, etag } };
      },
    }),
    route({
      method: 'delete',
      path: `${UPLOADS}/:id`,
      tag: 'Uploads',
      operation: 'upload/abort',
      summary: 'Drop an upload and its parts',
      params: uploadPath,
      query: objectQuery,
      access: writesKey,
      responses: { 204: { description: 'They are gone.' } },
      handle: async ({ targets: [target], input, signal }) => {
        await abortUpload(storage.provider(target.provider), { ...target, id: input.path.id }, { signal });
        return { status: 204 };
      },
    }),
  ];
}

/** Streams the body of a request into a part of an upload. */
export async function receivePart(storage: Storage, upload: ObjectResource & { readonly id: string }, number: number, { req, signal }: Pick<RouteRequest<unknown, []>, 'req' | 'signal'>): Promise<Reply> {
  const size = contentLengthOf(req);
  if (size === undefined) throw new SvcError('invalid_request', { detail: 'a part needs a `Content-Length` header' });
  return { status: 200, json: await putPart(storage.provider(upload.provider), upload, { number, size, body: req }, { signal }) };
}
