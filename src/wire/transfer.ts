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
  text,
} from './schema.ts';
import { ifMatch, ifNoneMatch, storedHeaders, written } from './object.ts';
import { readVersion } from './version-id.ts';
import { contentMd5, part, partInput, partNumber } from './upload.ts';

/** Marks an input or output that is a stream of bytes. */
export const stream = 'stream';

const header = optional(text('A header of the request.', { maxLength: 16_384 }));

/** Operations that move bytes, which fit into no message. */
export const byteOperations = {
  'object/read': {
    input: object({
      ...ofObject,
      version: readVersion,
      download: optional(oneOf(['0', '1'], { description: '`1` makes the answer an attachment.' })),
      range: header,
      ifRange: header,
      ifNoneMatch: header,
      ifModifiedSince: header,
      ifMatch: header,
      ifUnmodifiedSince: header,
      headersOnly: optional(oneOf(['1'])),
      stored: optional(
        oneOf(['1'], { description: 'With `1` the headers include all that were stored with the object.' }),
      ),
      checksums: optional(
        oneOf(['1'], { description: 'With `1` the headers include the checksums of a whole object.' }),
      ),
    }),
    output: stream,
  },
  'object/thumbnail': { input: object({ ...ofObject, ifNoneMatch: header }), output: stream },
  'object/write': {
    input: object({
      ...ofObject,
      contentType: header,
      contentMd5,
      size: optional(integer({ minimum: 0 })),
      ifNoneMatch,
      ifMatch,
      keep: optional(
        oneOf(['1'], {
          description:
            'With `1` only the content is replaced: the object keeps its content type, stored headers, metadata, tags and storage class. `If-Match` is required, and you need `objects:get` too.',
        }),
      ),
      stored: optional(storedHeaders),
    }),
    body: stream,
    output: written,
  },
  'upload/part': { input: partInput, body: stream, output: part },
  'object/archive': {
    input: object({
      ...inBucket,
      keys: optional(list(objectKey, { maxItems: 1000 })),
      prefixes: optional(list(keyPrefix, { maxItems: 1000 })),
      skipDenied: optional(
        boolean({
          default: false,
          description: 'Leave out the keys that you may not read, instead of refusing the request.',
        }),
      ),
      name: optional(
        text('File name of the ZIP archive. By default it is the name of the bucket or of the folder.', {
          maxLength: 200,
        }),
      ),
    }),
    output: stream,
  },
} as const;

export const transferOperations = {
  'transfer/create': {
    input: object({
      ...ofObject,
      direction: oneOf(['download', 'upload']),
      version: readVersion,
      upload: optional(object({ id: text('Id of the upload.', { minLength: 1, maxLength: 8_192 }), part: partNumber })),
      stored: optional(storedHeaders),
    }),
    output: object({ url: string, method: oneOf(['GET', 'PUT']), expiresAt: string }),
  },
};
