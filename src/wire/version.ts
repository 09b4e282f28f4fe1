import { moment } from './restore-folder.ts';
import { copyResult, ifMatch, ifNoneMatch } from './object.ts';
import { versionId, VERSION_EXAMPLE } from './version-id.ts';
import {
  boolean,
  inBucket,
  integer,
  keyPrefix,
  list,
  object,
  objectKey,
  ofObject,
  oneOf,
  optional,
  string,
  strings,
  text,
  textOrNull,
  time,
  type Wire,
} from './schema.ts';

export const versionEntry = object({
  key: string,
  version: text(
    'Its id. `null`, as a text, for one that was written while the bucket kept no versions.',
    VERSION_EXAMPLE,
  ),
  isLatest: boolean({ description: 'Whether it is the newest version of its key.' }),
  isDeleteMarker: boolean({
    description: 'Whether the object was deleted at this time. A delete marker has no content.',
  }),
  size: integer({ description: 'Bytes.' }),
  etag: textOrNull('Null for a delete marker.'),
  lastModified: time,
  storageClass: textOrNull('Null for a delete marker, and when storage does not say.', { examples: ['STANDARD'] }),
});
export type VersionEntryWire = Wire<typeof versionEntry>;

export const versionOperations = {
  'object/listVersions': {
    input: object({
      ...inBucket,
      key: optional({ ...objectKey, description: 'Only the versions of this object are listed.' }),
      prefix: optional({ ...keyPrefix, description: 'Only versions of keys that start with this prefix are listed.' }),
      delimiter: optional(
        oneOf(['/'], { description: 'With a delimiter, keys beneath the next slash are grouped into `prefixes`.' }),
      ),
      cursor: optional(text('`nextCursor` of the previous page of the same listing.', { maxLength: 4_096 })),
      limit: optional(integer({ minimum: 1, maximum: 1000, default: 200 })),
    }),
    output: object({
      versions: list(versionEntry, { description: 'By key, and the versions of a key from the newest on.' }),
      prefixes: strings,
      nextCursor: textOrNull(
        'The `cursor` of the next page; null on the last page. A page may be short, even empty, and still have a next one.',
      ),
    }),
  },
  'object/restore': {
    input: object({ ...ofObject, version: versionId, ifMatch, ifNoneMatch }),
    output: object({
      ...copyResult.properties,
      version: text(
        'The newest version of the object now: the copy, or the same version when nothing was done.',
        VERSION_EXAMPLE,
      ),
      isRestored: boolean({ description: 'False when the version was the newest already, so that nothing was done.' }),
    }),
  },
  'object/unarchive': {
    input: object({
      ...ofObject,
      days: optional(integer({ minimum: 1, maximum: 30, default: 7, description: 'How long it can be read then.' })),
      tier: optional(
        oneOf(['bulk', 'standard', 'expedited'], {
          default: 'standard',
          description: 'How fast storage brings it back. Faster costs more, and not every archive has each.',
        }),
      ),
    }),
    output: object({
      key: string,
      status: oneOf(['begun', 'underway', 'readable'], {
        description:
          '`begun`: storage brings it back from now on, which takes minutes to days. `underway`: it was doing so already. `readable`: it can be read, for `days` from now.',
      }),
    }),
  },
  'object/purge': {
    input: object({
      ...ofObject,
      version: versionId,
      ifUnmodifiedSince: optional(
        moment(
          'Nothing is deleted if the version is later than this, for example the `lastModified` that was listed: other content gets the version `null` when it is replaced.',
        ),
      ),
    }),
    output: object({ key: string, version: text('The version that was deleted.', VERSION_EXAMPLE) }),
  },
};
