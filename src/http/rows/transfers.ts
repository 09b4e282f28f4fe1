import { archiveObjects, readObject, writeObject } from '../../operation/transfers.ts';
import { readThumbnail } from '../../operation/thumbnail.ts';
import type { Streamed } from '../../operation/operation.ts';
import { dispositionOf, objectHeaders, thumbnailHeaders, unchangedHeaders } from '../routing/object-headers.ts';
import { row, type Content } from '../routing/row.ts';

const BUCKET = '/api/providers/:provider/buckets/:bucket';
const tag = 'Objects';

const DESCRIBING = [
  'ETag',
  'Last-Modified',
  'Content-Length',
  'Accept-Ranges',
  'Content-Disposition',
  'X-Amz-Storage-Class',
  'X-Amz-Restore',
  'X-Amz-Object-Lock-Mode',
  'X-Amz-Object-Lock-Retain-Until-Date',
  'X-Amz-Object-Lock-Legal-Hold',
] as const;

/** The headers and answers of every download. */
export const download = {
  headers: {
    range: 'Range',
    ifRange: 'If-Range',
    ifNoneMatch: 'If-None-Match',
    ifModifiedSince: 'If-Modified-Since',
    ifMatch: 'If-Match',
    ifUnmodifiedSince: 'If-Unmodified-Since',
  },
  answers: {
    200: {
      description: 'The whole object.',
      mediaType: '*/*',
      headers: DESCRIBING,
    },
    206: {
      description: 'The requested range of the object.',
      mediaType: '*/*',
      headers: [...DESCRIBING, 'Content-Range'],
    },
    304: { description: 'The object has not changed.', headers: ['ETag', 'Last-Modified'] },
  },
  // `conflict`: the object is archived.
  problems: ['range_not_satisfiable', 'precondition_failed', 'conflict', 'not_supported', 'rate_limited', 'overloaded'],
} as const;

/** The headers and problems of every upload. */
export const upload = {
  headers: {
    contentType: 'Content-Type',
    contentMd5: 'Content-MD5',
    size: 'Content-Length',
    ifNoneMatch: 'If-None-Match: *',
    ifMatch: 'If-Match',
  },
  problems: ['precondition_failed', 'payload_too_large', 'rate_limited', 'overloaded'],
} as const;

/** Routes that send the bytes of objects through the service: downloads, uploads and ZIP archives. */
export const transferRows = [
  row({
    method: 'get',
    path: `${BUCKET}/object`,
    operation: readObject,
    tag,
    summary: 'Download an object',
    description:
      'Honours `Range`, `If-None-Match` and `If-Modified-Since`. With `If-Match` or `If-Unmodified-Since` the answer is 412 when the object has changed. HTML, SVG and XML are always attachments.',
    query: ['key', 'version', 'download'],
    hot: true,
    ...download,
    read: (req) => (req.method === 'HEAD' ? { headersOnly: '1' as const } : {}),
    reply: (object, input) => objectReply(object, input.key, input.download === '1'),
  }),
  row({
    method: 'get',
    path: `${BUCKET}/object/thumbnail`,
    operation: readThumbnail,
    tag,
    summary: 'Show a small version of a picture',
    description:
      'For JPEG, PNG, WebP, GIF, AVIF and TIFF of at most 32 MiB, 50 million pixels and 200 MB when decoded. The content decides the format. The longer side has at most 400 pixels. `not_supported` means that there is no thumbnail.',
    query: ['key'],
    headers: { ifNoneMatch: 'If-None-Match' },
    answers: {
      200: {
        description: 'The thumbnail, without the metadata of the picture.',
        mediaType: 'image/webp',
        headers: ['ETag', 'Content-Length'],
      },
      304: { description: 'The thumbnail has not changed.', headers: ['ETag'] },
    },
    problems: ['not_supported', 'rate_limited', 'overloaded', 'precondition_failed'],
    reply: ({ status, headers, body }) =>
      status === 304
        ? { status, headers: unchangedHeaders(headers) }
        : bodyReply(status, thumbnailHeaders(headers), body),
  }),
  row({
    method: 'put',
    path: `${BUCKET}/object`,
    operation: writeObject,
    tag,
    summary: 'Upload an object',
    description:
      'The body is the object; its `Content-Type` is stored with it. With `Content-MD5`, a body with a different MD5 is refused. With `If-None-Match: *` the request is refused when the object exists, and with `If-Match` when it has changed. A request stores at most 5 GiB; send larger objects in parts.',
    query: ['key', 'keep'],
    body: 'stream',
    hot: true,
    ...upload,
    answers: { 200: { description: 'The object was stored.' } },
  }),
  row({
    method: 'post',
    path: `${BUCKET}/archive`,
    operation: archiveObjects,
    tag,
    summary: 'Download several objects as a ZIP',
    description:
      'Name `keys`, `prefixes`, or both. The request is refused when you may not read one of the keys, unless `skip_denied` is true. Objects beneath a prefix that you may not list or read are omitted. The file `NOT-INCLUDED.txt` in the archive names omitted objects that you may list.',
    body: ['keys', 'prefixes', 'skipDenied', 'name'],
    maxBodyBytes: 2 * 1_048_576,
    answers: {
      200: {
        description:
          'A ZIP stream. When something fails on the way, the connection is cut off, so that an incomplete archive is noticed.',
        mediaType: 'application/zip',
        headers: ['Content-Disposition'],
      },
    },
    reply: ({ status, body }, input) =>
      bodyReply(
        status,
        {
          'content-type': 'application/zip',
          'content-disposition': dispositionOf('attachment', input.name ?? archiveName(input)),
          'cache-control': 'no-store',
        },
        body,
      ),
  }),
];

/** The HTTP reply for an object. It has no body for HEAD and for 304. */
export function objectReply({ status, headers, body }: Streamed, key: string, asAttachment: boolean): Content {
  return status === 304
    ? { status, headers: unchangedHeaders(headers) }
    : bodyReply(status, objectHeaders(headers, key, asAttachment), body);
}

function bodyReply(status: number, headers: Readonly<Record<string, string>>, body: Streamed['body']): Content {
  if (body === undefined) return { status, headers };
  return Buffer.isBuffer(body) ? { status, headers, bytes: body } : { status, headers, stream: body };
}

function archiveName({
  bucket,
  keys = [],
  prefixes = [],
}: {
  readonly bucket: string;
  readonly keys?: readonly string[];
  readonly prefixes?: readonly string[];
}): string {
  const only =
    keys.length === 0 && prefixes.length === 1 ? prefixes[0]?.split('/').findLast((part) => part !== '') : undefined;
  return `${only ?? bucket}.zip`;
}
