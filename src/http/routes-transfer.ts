import type { Request } from 'express';
import { authorize, permits } from '../access/authorize.ts';
import { invalidRequest } from '../access/invalid.ts';
import { bucketTarget } from '../access/target.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { ObjectResource } from '../policy/resource.ts';
import { archive } from '../storage/archive.ts';
import { getObject, headObject } from '../storage/object-read.ts';
import { putObject } from '../storage/object-write.ts';
import type { Storage } from '../storage/storage.ts';
import { archiveRequest, bucketPath, downloadQuery, objectQuery, writtenObject } from '../wire/storage.ts';
import { fileNameParameters, objectHeaders, unchangedHeaders } from './object-headers.ts';
import { route, type Reply, type Route, type RouteDoc } from './route.ts';
import type { KeyedParts } from './keyed-parts.ts';

const OBJECT = '/api/providers/:provider/buckets/:bucket/object';

/** What every download answers. */
export const downloadDoc = {
  requestHeaders: ['Range', 'If-Range', 'If-None-Match', 'If-Modified-Since'],
  responses: {
    200: { description: 'The object.', mediaType: '*/*', headers: ['ETag', 'Last-Modified', 'Content-Length', 'Accept-Ranges', 'Content-Disposition'] },
    206: { description: 'The range.', mediaType: '*/*', headers: ['ETag', 'Last-Modified', 'Content-Length', 'Accept-Ranges', 'Content-Disposition', 'Content-Range'] },
    304: { description: 'It has not changed.', headers: ['ETag', 'Last-Modified'] },
  },
  problems: ['range_not_satisfiable'],
} as const satisfies Pick<RouteDoc, 'requestHeaders' | 'responses' | 'problems'>;

/** What every upload takes, and refuses. */
export const uploadDoc = { requestHeaders: ['If-None-Match: *'], problems: ['precondition_failed', 'payload_too_large'] } as const satisfies Pick<RouteDoc, 'requestHeaders' | 'problems'>;

/** Bytes of objects, through the service: up, down and zipped. */
export function transferRoutes({ storage, targets: at }: KeyedParts): Route[] {
  return [
    route({
      method: 'get',
      path: OBJECT,
      tag: 'Objects',
      operation: 'object/read',
      summary: 'Download an object',
      description: 'Honours `Range`, `If-None-Match` and `If-Modified-Since`. HTML, SVG and XML are always attachments.',
      params: bucketPath,
      query: downloadQuery,
      access: { kind: 'asks', asks: ({ path, query }) => [{ action: 'objects:get', resource: at.object(path.provider, path.bucket, query.key) }] as const },
      ...downloadDoc,
      handle: ({ targets: [target], input, req, signal }) => download(storage, target, { req, signal, asAttachment: input.query.download === '1' }),
    }),
    route({
      method: 'put',
      path: OBJECT,
      tag: 'Objects',
      operation: 'object/write',
      summary: 'Upload an object',
      description: 'The body is the object. `If-None-Match: *` refuses to overwrite.',
      params: bucketPath,
      query: objectQuery,
      body: 'stream',
      access: { kind: 'asks', asks: ({ path, query }) => [{ action: 'objects:write', resource: at.object(path.provider, path.bucket, query.key) }] as const },
      ...uploadDoc,
      responses: { 200: { description: 'It stands.', schema: writtenObject } },
      handle: ({ targets: [target], req, signal }) => receive(storage, target, { req, signal }),
    }),
    route({
      method: 'post',
      path: '/api/providers/:provider/buckets/:bucket/archive',
      tag: 'Objects',
      operation: 'object/archive',
      summary: 'Download several objects as a ZIP',
      description: 'Of `keys`, `prefixes`, or both. Keys that you may not read are refused; beneath a prefix they are left out.',
      params: bucketPath,
      body: archiveRequest,
      maxBodyBytes: 2 * 1_048_576,
      access: { kind: 'each' },
      responses: { 200: { description: 'A ZIP stream. When something fails on the way it is cut off, so that it cannot be taken for whole.', mediaType: 'application/zip', headers: ['Content-Disposition'] } },
      handle: async ({ caller, input, trail, signal }) => {
        const { provider, bucket } = bucketTarget(input.path.provider, input.path.bucket);
        const { keys = [], prefixes = [], name } = input.body;
        if (input.body.keys === undefined && input.body.prefixes === undefined) throw invalidRequest({ path: 'body', message: 'name `keys`, `prefixes`, or both' });
        for (const prefix of prefixes) {
          at.beneath(provider, bucket, prefix);
          trail.about(`${provider}/${bucket}/${prefix}`);
        }
        authorize(caller, keys.map((key) => ({ action: 'objects:get', resource: at.object(provider, bucket, key) }) as const), trail);
        const stream = await archive(storage.provider(provider), {
          bucket,
          keys,
          prefixes,
          permit: (key) => permits(caller, 'objects:get', at.object(provider, bucket, key)),
          grants: caller.effective,
          signal,
        });
        const fileName = name ?? archiveName(bucket, keys, prefixes);
        return { status: 200, stream, headers: { 'content-type': 'application/zip', 'content-disposition': `attachment; ${fileNameParameters(fileName)}`, 'cache-control': 'no-store' } };
      },
    }),
  ];
}

type Transfer = { readonly req: Request; readonly signal: AbortSignal };

/** Streams an object to the client, or answers HEAD. */
export async function download(storage: Storage, target: ObjectResource, { req, signal, asAttachment }: Transfer & { readonly asAttachment: boolean }): Promise<Reply> {
  const provider = storage.provider(target.provider);
  const conditions = { ifNoneMatch: req.headers['if-none-match'], ifModifiedSince: req.headers['if-modified-since'], signal };
  if (req.method === 'HEAD') {
    const { status, headers } = await headObject(provider, target, conditions);
    return { status, headers: status === 304 ? unchangedHeaders(headers) : objectHeaders(headers, target.key, asAttachment) };
  }
  const { status, headers, body } = await getObject(provider, target, { ...conditions, range: req.headers.range, ifRange: req.get('if-range') });
  if (body === undefined) return { status, headers: unchangedHeaders(headers) };
  return { status, headers: objectHeaders(headers, target.key, asAttachment), stream: body };
}

/** Streams the body of a request into an object. */
export async function receive(storage: Storage, target: ObjectResource, { req, signal }: Transfer): Promise<Reply> {
  const written = await putObject(storage.provider(target.provider), target, req, {
    signal,
    contentType: req.headers['content-type'],
    contentLength: contentLengthOf(req),
    ifNoneMatchAny: mustNotExist(req),
  });
  return { status: 200, json: { key: target.key, etag: written.etag } };
}

/** Bytes that the client announced; undefined for a chunked body. */
export function contentLengthOf(req: Pick<Request, 'headers'>): number | undefined {
  const header = req.headers['content-length'];
  return header === undefined ? undefined : Number(header);
}

/** `If-None-Match: *`: refuse to overwrite. */
export function mustNotExist(req: Request): boolean {
  const header = req.headers['if-none-match'];
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  throw new SvcError('invalid_request', { detail: 'only `If-None-Match: *` is understood on a write' });
}

function archiveName(bucket: string, keys: readonly string[], prefixes: readonly string[]): string {
  const only = keys.length === 0 && prefixes.length === 1 ? prefixes[0]?.split('/').findLast((part) => part !== '') : undefined;
  return `${only ?? bucket}.zip`;
}
