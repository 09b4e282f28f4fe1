import { listActivity } from '../../operation/audit.ts';
import { setProperties, setTags } from '../../operation/object-properties.ts';
import { copy, listVisibleObjects, presignObject, removeObjects } from '../../operation/objects.ts';
import { objectText } from '../routing/entry-text.ts';
import { row } from '../routing/row.ts';

const MEBIBYTE = 1_048_576;
const BUCKET = '/api/providers/:provider/buckets/:bucket';
const tag = 'Objects';

/** Routes that list, delete, copy, move and share objects. The bytes of objects do not pass through the service, except in copies between providers. */
export const objectRows = [
  row({
    method: 'get',
    path: `${BUCKET}/objects`,
    operation: listVisibleObjects,
    tag,
    summary: 'List the objects that you may see',
    description:
      'Keys are sorted by their UTF-8 bytes. With a `delimiter`, a common prefix is listed if it contains a key that you may list. The ETag changes with what you may see of the page.',
    query: ['prefix', 'delimiter', 'cursor', 'limit'],
    hot: true,
    tagWithout: ({ nextCursor }) => nextCursor,
    writers: { objects: objectText },
    answers: {
      200: {
        description: 'A page of objects and prefixes. It is empty when you may list nothing here.',
        headers: ['ETag'],
      },
      304: { description: 'What you may see of the page has not changed.', headers: ['ETag'] },
    },
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
    answers: { 200: { description: 'The outcome for each key.' } },
  }),
  row({
    method: 'post',
    path: `${BUCKET}/objects/copy`,
    operation: copy,
    tag,
    summary: 'Copy or move an object',
    description:
      'The target may have another key, bucket or provider. With `move` the source is deleted when the target has been written. With `If-None-Match: *` the request is refused when the target exists.',
    body: ['key', 'to', 'move'],
    headers: { ifNoneMatch: 'If-None-Match: *' },
    answers: { 200: { description: 'The object was copied or moved.' } },
    problems: ['precondition_failed'],
  }),
  row({
    method: 'post',
    path: `${BUCKET}/object/presign`,
    operation: presignObject,
    tag,
    summary: 'Create a link that works without signing in',
    body: ['key', 'method', 'expiresIn'],
    answers: { 200: { description: 'The link, and the time at which it expires.' } },
  }),
  row({
    method: 'put',
    path: `${BUCKET}/object/properties`,
    operation: setProperties,
    tag,
    summary: 'Change the content type and the metadata of an object',
    description:
      'What is not named stays as it is: headers, other metadata, tags and the storage class. Storage copies the object onto itself, which it does for up to 5 GiB.',
    query: ['key'],
    body: ['contentType', 'metadata', 'ifMatch'],
    answers: { 200: { description: 'The object has these properties.' } },
    problems: ['precondition_failed', 'payload_too_large'],
  }),
  row({
    method: 'put',
    path: `${BUCKET}/object/tags`,
    operation: setTags,
    tag,
    summary: 'Replace the tags of an object',
    query: ['key'],
    body: ['tags'],
    answers: { 200: { description: 'The object has these tags.' } },
    problems: ['not_supported'],
  }),
  row({
    method: 'get',
    path: `${BUCKET}/object/activity`,
    operation: listActivity,
    tag,
    summary: 'List what happened to an object',
    description:
      'Lists the person, the operation and the outcome, latest first, for callers who may read the object. Other objects of the same requests are not shown.',
    query: ['key', 'cursor', 'limit'],
    answers: { 200: { description: 'A page of the audit entries about the object.' } },
  }),
];
