import { boolean, bucketName, keyPrefix, object, objectKey, providerName, string, strings, text, type Wire } from './schema.ts';

export const providerPath = object({ provider: providerName });
export const bucketPath = object({ provider: providerName, bucket: bucketName });

export const providerList = object({ providers: { type: 'array', items: object({ name: string, type: { type: 'string', enum: ['s3'] } }) } });
export type ProviderList = Wire<typeof providerList>;

export const bucketList = object({
  buckets: { type: 'array', items: object({ name: string, created_at: { type: ['string', 'null'], description: 'RFC 3339, where storage says.' } }) },
});
export type BucketList = Wire<typeof bucketList>;

export const newBucket = object({ name: bucketName });
export const bucket = object({ name: string });

export const objectQuery = object({ key: objectKey });

export const listQuery = object(
  {
    prefix: { ...keyPrefix, default: '', description: 'Only keys that start with this.' },
    delimiter: { type: 'string', enum: ['/'], description: 'With it, keys beneath the next slash are rolled up into `prefixes`.' },
    cursor: { ...text(4_096), description: '`next_cursor` of the page before, of the same prefix and delimiter.' },
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 200 },
  },
  ['prefix', 'delimiter', 'cursor', 'limit'],
);

export const objectEntry = object({
  key: string,
  size: { type: 'integer', description: 'Bytes.' },
  etag: string,
  last_modified: { type: 'string', description: 'RFC 3339.' },
});
export type ObjectEntry = Wire<typeof objectEntry>;

export const objectList = object({
  objects: { type: 'array', items: objectEntry },
  prefixes: strings,
  next_cursor: { type: ['string', 'null'], description: 'Pass it as `cursor` for the next page; null at the end. A page may be short, even empty, and still have a next one.' },
});
export type ObjectList = Wire<typeof objectList>;

export const downloadQuery = object(
  { key: objectKey, download: { type: 'string', enum: ['0', '1'], description: '`1` makes the answer an attachment.' } },
  ['download'],
);

export const writtenObject = object({ key: string, etag: string });

export const deleteKeys = object({ keys: { type: 'array', items: objectKey, minItems: 1, maxItems: 1000 } });
export const deleteResult = object({ deleted: strings, failed: { type: 'array', items: object({ key: string, code: string }) } });
export type DeleteResult = Wire<typeof deleteResult>;

export const copyRequest = object(
  {
    key: objectKey,
    to: object({ provider: providerName, bucket: bucketName, key: objectKey }, ['provider', 'bucket']),
    move: { ...boolean, default: false, description: 'Delete the source once the target stands.' },
  },
  ['move'],
);
export type CopyRequest = Wire<typeof copyRequest>;
export const copyResult = object({ provider: string, bucket: string, key: string, etag: string });

export const presignRequest = object({
  key: objectKey,
  method: { type: 'string', enum: ['GET', 'PUT'] },
  expires_in: { type: 'integer', minimum: 1, maximum: 604800, description: 'Seconds.' },
});
export const presignResult = object({
  url: string,
  method: { type: 'string', enum: ['GET', 'PUT'] },
  expires_at: { type: 'string', description: 'RFC 3339: when the link really ends, which may be before `expires_in` where the storage credentials end earlier.' },
});
export type PresignResult = Wire<typeof presignResult>;

export const newUpload = object({ key: objectKey, content_type: { type: 'string', maxLength: 255 } }, ['content_type']);
export const upload = object({ id: string, key: string });
export type UploadStarted = Wire<typeof upload>;

export const uploadPath = object({ provider: providerName, bucket: bucketName, id: { type: 'string', minLength: 1, maxLength: 1024 } });
export const partPath = object({ ...uploadPath.properties, n: { type: 'integer', minimum: 1, maximum: 10000 } });
export const completeRequest = object({
  parts: {
    type: 'array',
    items: object({ number: partPath.properties.n, etag: { ...text(64), minLength: 1, description: 'As the answer to the part said.' } }),
    minItems: 1,
    maxItems: 10_000,
    description: 'Exactly these are joined, by number.',
  },
});
export const part = object({ number: { type: 'integer' }, size: { type: 'integer', description: 'Bytes.' }, etag: string });
export const partList = object({ parts: { type: 'array', items: part } });
export type PartList = Wire<typeof partList>;

/** At least one of `keys` and `prefixes`. */
export const archiveRequest = object(
  {
    keys: { type: 'array', items: objectKey, maxItems: 1000 },
    prefixes: { type: 'array', items: keyPrefix, maxItems: 1000 },
    name: { type: 'string', maxLength: 200, description: 'File name of the ZIP; by default the bucket or the folder.' },
  },
  ['keys', 'prefixes', 'name'],
);
