import { createUpload, dropUpload, getUpload, joinUpload, uploadPart } from '../../operation/uploads.ts';
import { row } from '../routing/row.ts';

const UPLOADS = '/api/providers/:provider/buckets/:bucket/uploads';
const tag = 'Uploads';

/** Routes of uploads in parts, for large files and for uploads that can pause. */
export const uploadRows = [
  row({
    method: 'post',
    path: UPLOADS,
    operation: createUpload,
    tag,
    summary: 'Begin an upload in parts',
    body: ['key', 'contentType'],
    answers: { 201: { description: 'The upload has begun.' } },
  }),
  row({
    method: 'put',
    path: `${UPLOADS}/:id/parts/:number`,
    operation: uploadPart,
    tag,
    summary: 'Send one part',
    description:
      'The body is the part, and `Content-Length` is required. With `Content-MD5`, a part with a different MD5 is refused. Every part but the last has at least 5 MiB. A part that is sent again replaces the earlier one.',
    query: ['key'],
    headers: { size: 'Content-Length', contentMd5: 'Content-MD5' },
    body: 'stream',
    hot: true,
    answers: { 200: { description: 'The part was stored.' } },
    problems: ['payload_too_large', 'rate_limited', 'overloaded'],
  }),
  row({
    method: 'get',
    path: `${UPLOADS}/:id`,
    operation: getUpload,
    tag,
    summary: 'List the parts that were stored',
    description: 'A client calls this to resume an upload.',
    query: ['key'],
    answers: { 200: { description: 'The parts, by number.' } },
  }),
  row({
    method: 'post',
    path: `${UPLOADS}/:id/complete`,
    operation: joinUpload,
    tag,
    summary: 'Join the parts into the object',
    description:
      'Joins exactly the parts that the body names. When storage lacks some of them, or has them with another ETag, the answer is `conflict` with their numbers in `parts`. With `If-None-Match: *` the request is refused when the object exists, and the parts are kept.',
    query: ['key'],
    body: ['parts'],
    maxBodyBytes: 1_150_000,
    headers: { ifNoneMatch: 'If-None-Match: *' },
    answers: { 200: { description: 'The parts were joined, and the object exists.' } },
    problems: ['conflict', 'precondition_failed'],
  }),
  row({
    method: 'delete',
    path: `${UPLOADS}/:id`,
    operation: dropUpload,
    tag,
    summary: 'Drop an upload and its parts',
    query: ['key'],
    answers: { 204: { description: 'The upload and its parts were dropped.' } },
  }),
];
