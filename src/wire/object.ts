import {
  anyText,
  boolean,
  bucketName,
  inBucket,
  integer,
  KEPT_TEXT,
  keyPrefix,
  list,
  map,
  MAX_KEY_CHARACTERS,
  object,
  objectKey,
  ofObject,
  oneOf,
  optional,
  orNull,
  providerName,
  string,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
  type Wire,
} from './schema.ts';
import { readVersion } from './version-id.ts';

const bytes = integer({ description: 'Bytes.' });

export const objectEntry = object({ key: string, size: bytes, etag: string, lastModified: time });
export type ObjectEntry = Wire<typeof objectEntry>;

export const ifNoneMatch = optional(
  oneOf(['*'], { description: 'With `*` the request is refused when the object exists.' }),
);

export const ifMatch = optional(
  text(
    'The request is refused when the object has another ETag, or does not exist. The quotes of the ETag may be left out; `*` stands for any object.',
    { minLength: 1, maxLength: 1_024, pattern: '^[\\x20-\\x7e]*$', examples: ['"d41d8cd98f00b204e9800998ecf8427e"'] },
  ),
);

const condition = optional(
  text('As the header of this name says about the source.', { maxLength: 1_024, pattern: '^[\\x20-\\x7e]*$' }),
);

/** Conditions about the source of a copy. */
export const sourceConditions = {
  sourceIfMatch: condition,
  sourceIfNoneMatch: condition,
  sourceIfModifiedSince: condition,
  sourceIfUnmodifiedSince: condition,
};

/** The names are checked by the operation. */
export const storedHeaders = map(text('The value.', { maxLength: 12_288 }), {
  maxProperties: 512,
  description:
    'Headers to store with the object, by their names in lower case: `x-amz-meta-…` (at most 2 KiB in all), `cache-control`, `content-disposition`, `content-encoding`, `content-language`, `expires`, `x-amz-storage-class` and `x-amz-tagging`.',
});

export const written = object({ key: string, etag: string });

/** The result for each key of a bulk deletion. */
export const deletion = object({ deleted: strings, failed: list(object({ key: string, code: string })) });

export const copyResult = object({
  provider: string,
  bucket: string,
  key: string,
  etag: string,
  lastModified: timeOrNull,
});

export const objectOperations = {
  'object/list': {
    input: object({
      ...inBucket,
      prefix: optional({ ...keyPrefix, default: '', description: 'Only keys that start with this prefix are listed.' }),
      delimiter: optional(
        oneOf(['/'], { description: 'With a delimiter, keys beneath the next slash are grouped into `prefixes`.' }),
      ),
      cursor: optional(
        text('`nextCursor` of the previous page, for the same prefix and delimiter.', { maxLength: 4_096 }),
      ),
      startAfter: optional(
        anyText('Only keys and common prefixes after this text are listed. With a `cursor` it does not count.', {
          maxLength: MAX_KEY_CHARACTERS,
        }),
      ),
      limit: optional(integer({ minimum: 1, maximum: 1000, default: 200 })),
    }),
    output: object({
      objects: list(objectEntry),
      prefixes: strings,
      nextCursor: textOrNull(
        'The `cursor` of the next page; null on the last page. A page may be short, even empty, and still have a next one.',
      ),
    }),
  },
  'object/head': {
    input: object({ ...ofObject, version: readVersion }),
    output: object({
      key: string,
      size: bytes,
      etag: string,
      lastModified: timeOrNull,
      contentType: string,
      storageClass: optional(
        text('Missing when storage does not say; then it is the ordinary one.', { examples: ['DEEP_ARCHIVE'] }),
      ),
      restore: optional(
        text(
          'Of an archived object: whether it is being brought back, or until when it can be read, as storage says it.',
          {
            examples: ['ongoing-request="true"'],
          },
        ),
      ),
      lockMode: optional(
        text('How the version is locked. Missing when it is not, or when storage does not say.', {
          examples: ['GOVERNANCE'],
        }),
      ),
      lockedUntil: optional(text('Until when the version cannot be deleted, as RFC 3339.')),
      legalHold: optional(
        boolean({ description: 'Whether the version cannot be deleted until somebody ends the hold.' }),
      ),
    }),
  },
  'object/tags': { input: object(ofObject), output: object({ tags: list(object({ key: string, value: string })) }) },
  'object/setTags': {
    input: object({
      ...ofObject,
      tags: list(
        object({
          key: text('Name of the tag.', { minLength: 1, maxLength: 128, pattern: KEPT_TEXT }),
          value: text('Value of the tag.', { maxLength: 256, pattern: KEPT_TEXT, examples: ['approved'] }),
        }),
        { maxItems: 10 },
      ),
    }),
    output: object({ key: string }),
  },
  'object/setProperties': {
    input: object({
      ...ofObject,
      ifMatch: text('ETag of the version that changes. The request is refused when the object has another one.', {
        minLength: 1,
        maxLength: 1_024,
        pattern: '^[\\x20-\\x7e]*$',
        examples: ['"d41d8cd98f00b204e9800998ecf8427e"'],
      }),
      contentType: optional(text('Media type.', { minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]*$' })),
      metadata: optional(
        list(
          object({
            name: text('Name without `x-amz-meta-`, in lower case.', {
              minLength: 1,
              maxLength: 128,
              pattern: "^[!#$%&'*+.^_`|~0-9a-z-]+$",
            }),
            value: orNull(
              text('The value, which is stored as UTF-8; null removes the name.', {
                maxLength: 2_048,
                examples: ['Jörg'],
                pattern: '^[^\\x00-\\x08\\x0a-\\x1f\\x7f\\ud800-\\udfff]*$',
              }),
            ),
          }),
          { maxItems: 100 },
        ),
      ),
    }),
    output: object({ key: string, etag: string, lastModified: timeOrNull }),
  },
  'object/delete': {
    input: object({
      ...inBucket,
      key: optional(objectKey),
      keys: optional(list(objectKey, { minItems: 1, maxItems: 1000 })),
      ifMatch,
    }),
    output: deletion,
  },
  'object/copy': {
    input: object({
      ...ofObject,
      to: object({ provider: optional(providerName), bucket: optional(bucketName), key: objectKey }),
      move: optional(boolean({ default: false, description: 'Delete the source when the target has been written.' })),
      ifNoneMatch,
      ifMatch,
      ...sourceConditions,
      replace: optional(
        object(
          { contentType: optional(text('Media type.', { maxLength: 255 })), stored: optional(storedHeaders) },
          {
            description:
              'The copy gets these headers instead of those of the source, and an object can be copied to itself. Without `x-amz-tagging` it keeps the tags.',
          },
        ),
      ),
      storageClass: optional(
        text('Storage class of the copy. It is that of the source when left out; `replace` names it itself.', {
          minLength: 1,
          maxLength: 255,
          pattern: '^[\\x21-\\x7e]*$',
        }),
      ),
    }),
    output: copyResult,
  },
  'object/presign': {
    input: object({
      ...ofObject,
      method: oneOf(['GET', 'PUT']),
      expiresIn: integer({ minimum: 1, maximum: 604_800, description: 'Seconds until the link expires.' }),
    }),
    output: object({
      url: string,
      method: oneOf(['GET', 'PUT']),
      expiresAt: text(
        'When the link expires, as RFC 3339. This is earlier than `expiresIn` when the storage credentials expire earlier.',
      ),
    }),
  },
};
