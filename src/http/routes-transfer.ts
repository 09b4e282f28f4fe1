import { Readable } from 'node:stream';
import type { Request } from 'express';
import { authorize, permits } from '../access/authorize.ts';
import { bucketTarget } from '../access/target.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { ObjectResource } from '../policy/resource.ts';
import { archive } from '../storage/archive.ts';
import { getObject, headObject } from '../storage/object-read.ts';
import { putObject } from '../storage/object-write.ts';
import type { Storage } from '../storage/storage.ts';
import { archiveRequest, bucketPath, downloadQuery, objectQuery, writtenObject } from '../wire/storage.ts';
import { fileNameParameters, objectHeaders } from './object-headers.ts';
import { route, type Reply, type Route } from './route.ts';
import type { KeyedParts } from './keyed-parts.ts';

const OBJECT = '/api/providers/:provider/buckets/:bucket/object';

/** Bytes of objects, through the service: up, down and zipped. */
export function transferRoutes({ storage, targets: at }: KeyedParts): Route[] {
  return [
    route({
      method: 'get',
      path: OBJECT,
      tag: 'Objects',
      summary: 'Download an object',
      description: 'Honours `Range`, `If-None-Match` and `If-Modified-Since`. HTML, SVG and XML are always attachments.',
      params: bucketPath,
      query: downloadQuery,
      access: { kind: 'asks', asks: ({ path, query }) => [{ action: 'objects:get', resource: at.object(path.provider, path.bucket, query.key) }] as const },
      responses: {
        200: { description: 'The object.', mediaType: 'application/octet-stream' },
        206: { description: 'The range.', mediaType: 'application/octet-stream' },
        304: { description: 'It has not changed.' },
        416: { description: '`range_not_satisfiable`' },
      },
      handle: ({ targets: [target], input, req, signal }) => download(storage, target, { req, signal, asAttachment: input.query.download === '1' }),
    }),
    route({
      method: 'put',
      path: OBJECT,
      tag: 'Objects',
      summary: 'Upload an object',
      description: 'The body is the object. `If-None-Match: *` refuses to overwrite.',
      params: bucketPath,
      query: objectQuery,
      body: 'stream',
      access: { kind: 'asks', asks: ({ path, query }) => [{ action: 'objects:write', resource: at.object(path.provider, path.bucket, query.key) }] as const },
      responses: { 200: { description: 'It stands.', schema: writtenObject }, 412: { description: '`precondition_failed`: there is one already.' }, 413: { description: '`payload_too_large`: use an upload in parts.' } },
      handle: ({ targets: [target], req, signal }) => receive(storage, target, { req, signal }),
    }),
    route({
      method: 'post',
      path: '/api/providers/:provider/buckets/:bucket/archive',
      tag: 'Objects',
      summary: 'Download several objects as a ZIP',
      description: 'Keys that you may not read are refused; beneath a prefix they are left out.',
      params: bucketPath,
      body: archiveRequest,
      maxBodyBytes: 2 * 1_048_576,
      access: { kind: 'each', action: 'objects:get' },
      responses: { 200: { description: 'A ZIP stream. When something fails on the way it is cut off, so that it cannot be taken for whole.', mediaType: 'application/zip' } },
      handle: async ({ caller, input, signal }) => {
        const { provider, bucket } = bucketTarget(input.path.provider, input.path.bucket);
        const { keys = [], prefixes = [], name } = input.body;
        for (const prefix of prefixes) at.beneath(provider, bucket, prefix);
        for (const key of keys) authorize(caller, 'objects:get', at.object(provider, bucket, key));
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
  const conditions = { ...conditionsOf(req), signal };
  if (req.method === 'HEAD') {
    const head = await headObject(provider, target, conditions);
    return { status: head.status, headers: objectHeaders(head.headers, target.key, asAttachment) };
  }
  const object = await getObject(provider, target, conditions);
  return { status: object.status, headers: objectHeaders(object.headers, target.key, asAttachment), stream: object.body ?? Readable.from([]) };
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

function conditionsOf(req: Request) {
  return { range: req.headers.range, ifRange: req.get('if-range'), ifNoneMatch: req.headers['if-none-match'], ifModifiedSince: req.headers['if-modified-since'] };
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
