import { copy, listVisibleObjects, presignObject, removeObjects } from '../../operation/objects.ts';
import { row } from '../row.ts';

const MEBIBYTE = 1_048_576;
const BUCKET = '/api/providers/:provider/buckets/:bucket';
const tag = 'Objects';

/** Listing objects, and what is done to them without moving their bytes through the service. */
export const objectRows = [
  row({
    method: 'get',
    path: `${BUCKET}/objects`,
    operation: listVisibleObjects,
    tag,
    summary: 'List the objects that you may see',
    description: 'Sorted by the UTF-8 bytes of the key. With a `delimiter`, a common prefix is shown when there is a key beneath it that you may list.',
    query: ['prefix', 'delimiter', 'cursor', 'limit'],
    answers: { 200: { description: 'A page; empty when you may list nothing here.' } },
  }),
  row({
    method: 'delete',
    path: `${BUCKET}/object`,
    operation: removeObjects,
    tag,
    summary: 'Delete an object',
    query: ['key'],
    needs: ['key'],
    answers: { 204: { description: 'The object was deleted.' } },
  }),
  row({
    method: 'post',
    path: `${BUCKET}/objects/delete`,
    operation: removeObjects,
    tag,
    summary: 'Delete up to 1000 objects',
    body: ['keys'],
    needs: ['keys'],
    maxBodyBytes: MEBIBYTE,
    answers: { 200: { description: 'What became of each key.' } },
  }),
  row({
    method: 'post',
    path: `${BUCKET}/objects/copy`,
    operation: copy,
    tag,
    summary: 'Copy or move an object',
    description: 'To another key, bucket or provider. With `move` the source is deleted once the target exists. `If-None-Match: *` refuses to overwrite.',
    body: ['key', 'to', 'move'],
    headers: { ifNoneMatch: 'If-None-Match: *' },
    answers: { 200: { description: 'The target exists.' } },
    problems: ['precondition_failed'],
  }),
  row({
    method: 'post',
    path: `${BUCKET}/object/presign`,
    operation: presignObject,
    tag,
    summary: 'Make a link that works without signing in',
    body: ['key', 'method', 'expiresIn'],
    answers: { 200: { description: 'The link, and when it ends.' } },
  }),
];
