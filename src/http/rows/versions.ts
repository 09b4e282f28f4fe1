import { readInfoOfBucket } from '../../operation/buckets.ts';
import { listVisibleVersions, purgeObject, restoreObject } from '../../operation/versions.ts';
import { row } from '../routing/row.ts';

const BUCKET = '/api/providers/:provider/buckets/:bucket';
const tag = 'Versions';

/** Routes about what a bucket keeps of objects that were overwritten or deleted. */
export const versionRows = [
  row({
    method: 'get',
    path: `${BUCKET}/info`,
    operation: readInfoOfBucket,
    tag,
    summary: 'Show what the bucket keeps of objects that are overwritten or deleted',
    answers: { 200: { description: 'Versioning, object lock, and how long old versions are kept.' } },
  }),
  row({
    method: 'get',
    path: `${BUCKET}/versions`,
    operation: listVisibleVersions,
    tag,
    summary: 'List the versions and deleted objects that you may see',
    description:
      'Lists the versions of one `key`, or those of all keys that start with `prefix`. A version is listed if you are allowed `objects:versions` on its key; a common prefix, if it contains such a version.',
    query: ['key', 'prefix', 'delimiter', 'cursor', 'limit'],
    answers: { 200: { description: 'A page of versions. It is empty when you may see none here.' } },
    problems: ['access_denied'],
  }),
  row({
    method: 'post',
    path: `${BUCKET}/object/restore`,
    operation: restoreObject,
    tag,
    summary: 'Bring a version of an object back',
    description:
      'Copies the version on top of the others, also when the object was deleted. No version is deleted. Nothing is done when the version is the newest one already. With `If-None-Match: *` the request is refused when the object exists; with `If-Match`, when it has another ETag. This asks `objects:restore` and `objects:write`.',
    body: ['key', 'version'],
    headers: { ifNoneMatch: 'If-None-Match: *', ifMatch: 'If-Match' },
    answers: { 200: { description: 'The newest version of the object now.' } },
    problems: ['precondition_failed', 'conflict'],
  }),
  row({
    method: 'post',
    path: `${BUCKET}/object/purge`,
    operation: purgeObject,
    tag,
    summary: 'Delete one version of an object for ever',
    description: 'When it is the newest version, the one before it becomes the newest.',
    body: ['key', 'version'],
    answers: { 200: { description: 'The version was deleted.' } },
    problems: ['conflict'],
  }),
];
