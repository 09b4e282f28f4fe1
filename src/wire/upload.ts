import {
  boolean,
  bucketName,
  inBucket,
  integer,
  keyPrefix,
  list,
  object,
  objectKey,
  ofObject,
  optional,
  string,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './schema.ts';
import { ifMatch, ifNoneMatch, sourceConditions, storedHeaders } from './object.ts';

/** Input members that name an upload. An upload id is valid for one key only, so every request names the key. */
const ofUpload = { ...ofObject, id: text('Id of the upload.', { minLength: 1, maxLength: 8_192 }) };

export const partNumber = integer({ minimum: 1, maximum: 10_000 });

const ofPart = { number: integer(), size: integer({ description: 'Bytes.' }), etag: string };
export const part = object(ofPart);
const listedPart = object({ ...ofPart, lastModified: timeOrNull });

export const uploadOperations = {
  'upload/create': {
    input: object({
      ...ofObject,
      contentType: optional(text('Media type.', { maxLength: 255 })),
      stored: optional(storedHeaders),
    }),
    output: object({ id: string, key: string }),
  },
  'upload/get': { input: object(ofUpload), output: object({ parts: list(listedPart) }) },
  'upload/complete': {
    input: object({
      ...ofUpload,
      parts: list(
        object({
          number: partNumber,
          etag: text('ETag from the answer to the part.', { minLength: 1, maxLength: 64 }),
        }),
        {
          minItems: 1,
          maxItems: 10_000,
          description: 'The parts to join, in the order of their numbers. No other part is used.',
        },
      ),
      ifNoneMatch,
      ifMatch,
    }),
    output: object({ key: string, etag: string, size: integer({ description: 'Bytes of the object.' }) }),
  },
  'upload/abort': {
    input: object(ofUpload),
    output: object({ wasOpen: boolean({ description: 'Whether there was such an upload.' }) }),
  },
  'upload/list': {
    input: object({
      ...inBucket,
      prefix: optional({
        ...keyPrefix,
        default: '',
        description: 'Only uploads of keys that start with this prefix are listed.',
      }),
      cursor: optional(text('`nextCursor` of the previous page, for the same prefix.', { maxLength: 4_096 })),
      limit: optional(integer({ minimum: 1, maximum: 1000, default: 200 })),
    }),
    output: object({
      uploads: list(object({ key: string, id: string, initiated: timeOrNull })),
      nextCursor: textOrNull(
        'The `cursor` of the next page; null on the last page. A page may be short, even empty, and still have a next one.',
      ),
    }),
  },
  'upload/copyPart': {
    input: object({
      ...ofUpload,
      number: partNumber,
      from: object({ bucket: bucketName, key: objectKey }, { description: 'The source, at the same provider.' }),
      range: optional(
        text(
          'The bytes of the source, from the first to the last. Without a range, the whole source becomes the part.',
          {
            maxLength: 64,
            pattern: '^bytes=[0-9]{1,15}-[0-9]{1,15}$',
            examples: ['bytes=0-5242879'],
          },
        ),
      ),
      ...sourceConditions,
    }),
    output: object({ number: integer(), etag: string, lastModified: time }),
  },
};

export const contentMd5 = optional(
  text('The MD5 of the body, in base64.', { minLength: 24, maxLength: 24, pattern: '^[A-Za-z0-9+/]{22}==$' }),
);

export const partInput = object({
  ...ofUpload,
  number: partNumber,
  contentMd5,
  size: optional(integer({ minimum: 0, description: 'Bytes.' })),
});
