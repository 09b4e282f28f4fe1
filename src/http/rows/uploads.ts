import { createUpload, dropUpload, getUpload, joinUpload, uploadPart } from '../../operation/uploads.ts';
import { row } from '../row.ts';

const UPLOADS = '/api/providers/:provider/buckets/:bucket/uploads';
const tag = 'Uploads';

/** Uploads in parts: what is large, or must be able to pause. */
export const uploadRows = [
  row({ method: 'post', path: UPLOADS, operation: createUpload, tag, summary: 'Begin an upload in parts', body: ['key', 'contentType'], answers: { 201: { description: 'The upload has begun.' } } }),
  row({
    method: 'put',
    path: `${UPLOADS}/:id/parts/:number`,
    operation: uploadPart,
    tag,
    summary: 'Send one part',
    description: 'The body is the part; `Content-Length` is needed. All parts but the last are at least 5 MiB. A part sent again replaces the one before.',
    query: ['key'],
    headers: { size: 'Content-Length' },
    body: 'stream',
    answers: { 200: { description: 'The part arrived.' } },
  }),
  row({
    method: 'get',
    path: `${UPLOADS}/:id`,
    operation: getUpload,
    tag,
    summary: 'List the parts that arrived',
    description: 'So that an upload can go on where it stopped.',
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
      'Exactly the parts that are named are joined. `conflict` names as `parts` the numbers of those that storage does not have, or has with another ETag. `If-None-Match: *` refuses to overwrite; the parts stay.',
    query: ['key'],
    body: ['parts'],
    maxBodyBytes: 1_150_000,
    headers: { ifNoneMatch: 'If-None-Match: *' },
    answers: { 200: { description: 'The object exists.' } },
    problems: ['conflict', 'precondition_failed'],
  }),
  row({ method: 'delete', path: `${UPLOADS}/:id`, operation: dropUpload, tag, summary: 'Drop an upload and its parts', query: ['key'], answers: { 204: { description: 'The upload and its parts were dropped.' } } }),
];
