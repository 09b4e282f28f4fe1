import { readInfoOfBucket } from '../../operation/buckets.ts';
import { restoreFolder } from '../../operation/restore-folder.ts';
import { listVisibleVersions, purgeObject, restoreObject, unarchiveObject } from '../../operation/versions.ts';
import { versionText } from '../routing/entry-text.ts';
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
    hot: true,
    operation: listVisibleVersions,
    tag,
    summary: 'List the versions and deleted objects that you may see',
    description:
      'Lists the versions of one `key`, or those of all keys that start with `prefix`. A version is listed if you are allowed `objects:versions` on its key; a common prefix, if it contains such a version.',
    query: ['key', 'prefix', 'delimiter', 'cursor', 'limit'],
    writers: { versions: versionText },
    answers: { 200: { description: 'A page of versions. It is empty when you may see none here.' } },
    problems: ['access_denied', 'not_supported'],
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
    problems: ['precondition_failed', 'conflict', 'not_supported'],
  }),
  row({
    method: 'post',
    path: `${BUCKET}/objects/restore`,
    operation: restoreFolder,
    tag,
    summary: 'Bring a folder back to a moment',
    description:
      'Brings back the content that each object had then, and deletes the objects that did not exist, so that their versions stay. Objects on which you are not allowed `objects:versions` are neither changed nor counted. This asks `objects:restore` and `objects:write` on each object that is brought back, and `objects:delete` on each that is deleted; a bucket that keeps no new versions loses nothing. Begin with `dry_run`, and send the `planned_at` of its first answer as `if_unmodified_since`.\n\nStreams lines of JSON in the order of the keys: `planned_at`, an `entry` for each object that is not as it was then, and the `counts` so far. The last line has `done`, `next_cursor` or `error`: send `next_cursor` as `cursor` to continue, and add up the counts of all answers. A run stops when its client disconnects. It can be sent again, also after an answer that was cut off, and continues with the rest.',
    body: ['prefix', 'at', 'dryRun', 'ifUnmodifiedSince', 'cursor'],
    lines: true,
    answers: { 200: { description: 'The plan, or what was done. Both are empty if you may see no versions here.' } },
    problems: ['not_supported', 'rate_limited', 'overloaded'],
  }),
  row({
    method: 'post',
    path: `${BUCKET}/object/unarchive`,
    operation: unarchiveObject,
    tag,
    summary: 'Bring an archived object back for reading',
    description:
      'For objects in an archive of storage, such as the storage classes `GLACIER` and `DEEP_ARCHIVE`. Storage may charge for it. Until it is done, `object/head` answers the header `X-Amz-Restore` with `ongoing-request="true"`.',
    body: ['key', 'days', 'tier'],
    answers: { 200: { description: 'Storage was asked, or had been asked before.' } },
    problems: ['conflict'],
  }),
  row({
    method: 'post',
    path: `${BUCKET}/object/purge`,
    operation: purgeObject,
    tag,
    summary: 'Delete one version of an object for ever',
    description:
      'When it is the newest version, the one before it becomes the newest. A version that a lock or a legal hold keeps is refused.',
    body: ['key', 'version', 'ifUnmodifiedSince'],
    answers: { 200: { description: 'The version was deleted.' } },
    problems: ['precondition_failed', 'conflict', 'not_supported'],
  }),
];
