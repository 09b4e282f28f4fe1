import { ACTION_NAMES, type ActionName } from '../policy/action.ts';
import type { Selector } from '../policy/resource.ts';
import { selector } from './admin.ts';
import { boolean, bucketName, keyPrefix, object, objectKey, providerName, string, strings, text } from './schema.ts';
import { completeRequest, partList, partPath, uploadPath } from './storage.ts';

/** Params and results of the JSON-RPC methods. Times are RFC 3339. */

/** Calls in one message. */
export const MAX_BATCH = 50;

const timeOrNull = { type: ['string', 'null'], maxLength: 64, description: 'RFC 3339.' } as const;
const none = object({});
const provider = { provider: providerName } as const;
const bucket = { ...provider, bucket: bucketName } as const;
const one = { ...bucket, key: objectKey } as const;

const upload = { ...one, id: uploadPath.properties.id } as const;

const actionNames = { type: 'array', items: { type: 'string', enum: ACTION_NAMES }, maxItems: ACTION_NAMES.length } as const;

export type ApiKeyScopeWire = { readonly rules: readonly { readonly actions: readonly ActionName[]; readonly resources: readonly Selector[] }[] };

/** Allow only. */
export const apiKeyScope = object({ rules: { type: 'array', items: object({ actions: actionNames, resources: { type: 'array', items: selector, maxItems: 1000 } }), maxItems: 100 } });

export type ApiKeyWire = {
  readonly id: string;
  readonly description: string;
  readonly scope: ApiKeyScopeWire;
  readonly expiresAt: string | null;
  readonly creator: { readonly issuer: string; readonly subject: string; readonly groups: readonly string[]; readonly name: string };
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  readonly lastUsedAt: string | null;
};

export const apiKey = object({
  id: { type: 'string', description: 'Public id.' },
  description: string,
  scope: apiKeyScope,
  expiresAt: timeOrNull,
  creator: object({ issuer: string, subject: string, groups: strings, name: string }),
  createdAt: string,
  rotatedAt: timeOrNull,
  lastUsedAt: timeOrNull,
});

const apiKeyId = object({ id: { type: 'string', minLength: 1, maxLength: 64 } });

const newApiKey = object({ description: { type: 'string', maxLength: 200 }, scope: apiKeyScope, expiresAt: timeOrNull }, ['expiresAt']);
const issuedApiKey = object({ key: apiKey, credential: { type: 'string', description: 'Shown here and never again.' } });
const newScope = object({ ...apiKeyId.properties, scope: apiKeyScope });
const changedApiKey = object({ key: apiKey });
const apiKeyList = object({ keys: { type: 'array', items: apiKey } });

type Bucket = { readonly provider: string; readonly bucket: string };
type OneObject = Bucket & { readonly key: string };
type OneUpload = OneObject & { readonly id: string };
type IssuedApiKey = { readonly key: ApiKeyWire; readonly credential: string };

/** Params and results, by hand: inferring them from the schemas takes the compiler half a minute. A test holds real answers against the schemas. */
export type RpcTypes = {
  initialize: { params: object; result: { server: { name: string; version: string }; capabilities: { apiKeys: boolean } } };
  'session/get': { params: object; result: { issuer: string; subject: string; groups: string[]; name: string; kind: 'web' | 'desktop' | 'apiKey'; expiresAt: string | null } };
  'provider/list': { params: object; result: { providers: { name: string; type: string }[] } };
  'bucket/list': { params: { readonly provider: string }; result: { buckets: { name: string; createdAt: string | null }[] } };
  'bucket/create': { params: { readonly provider: string; readonly name: string }; result: { name: string } };
  'bucket/delete': { params: Bucket; result: object };
  'object/list': {
    params: Bucket & { readonly prefix?: string; readonly delimiter?: '/'; readonly cursor?: string; readonly limit?: number };
    result: { objects: { key: string; size: number; etag: string; lastModified: string }[]; prefixes: string[]; nextCursor: string | null };
  };
  'object/head': { params: OneObject; result: { key: string; size: number; etag: string; lastModified: string | null; contentType: string } };
  'object/delete': { params: Bucket & { readonly key?: string; readonly keys?: readonly string[] }; result: { deleted: string[]; failed: { key: string; code: string }[] } };
  'object/copy': {
    params: OneObject & { readonly to: { readonly provider?: string; readonly bucket?: string; readonly key: string }; readonly move?: boolean; readonly ifNoneMatch?: '*' };
    result: { provider: string; bucket: string; key: string; etag: string };
  };
  'object/presign': { params: OneObject & { readonly method: 'GET' | 'PUT'; readonly expiresIn: number }; result: { url: string; method: 'GET' | 'PUT'; expiresAt: string } };
  'permission/list': { params: { readonly provider: string; readonly bucket?: string; readonly prefix?: string; readonly key?: string }; result: { actions: ActionName[] } };
  'upload/create': { params: OneObject & { readonly contentType?: string }; result: { id: string } };
  'upload/get': { params: OneUpload; result: { parts: { number: number; size: number; etag: string }[] } };
  'upload/complete': { params: OneUpload & { readonly parts: readonly { readonly number: number; readonly etag: string }[] }; result: { etag: string; size: number } };
  'upload/abort': { params: OneUpload; result: object };
  'transfer/create': {
    params: OneObject & { readonly direction: 'download' | 'upload'; readonly upload?: { readonly id: string; readonly part: number } };
    result: { url: string; method: 'GET' | 'PUT'; expiresAt: string };
  };
  'apiKey/create': { params: { readonly description: string; readonly scope: ApiKeyScopeWire; readonly expiresAt?: string | null }; result: IssuedApiKey };
  'apiKey/list': { params: object; result: { keys: ApiKeyWire[] } };
  'apiKey/rotate': { params: { readonly id: string }; result: IssuedApiKey };
  'apiKey/replaceScope': { params: { readonly id: string; readonly scope: ApiKeyScopeWire }; result: { key: ApiKeyWire } };
  'apiKey/revoke': { params: { readonly id: string }; result: object };
};

export type RpcMethodName = keyof RpcTypes;
export type RpcParams<M extends RpcMethodName> = RpcTypes[M]['params'];
export type RpcResult<M extends RpcMethodName> = RpcTypes[M]['result'];

export const rpcSchemas: Record<RpcMethodName, { readonly params: object; readonly result: object }> = {
  initialize: {
    params: { type: 'object', additionalProperties: true, maxProperties: 64 },
    result: object({ server: object({ name: string, version: string }), capabilities: object({ apiKeys: { ...boolean, description: 'The `apiKey/…` methods exist.' } }) }),
  },
  'session/get': {
    params: none,
    result: object({ issuer: string, subject: string, groups: strings, name: string, kind: { type: 'string', enum: ['web', 'desktop', 'apiKey'] }, expiresAt: timeOrNull }),
  },
  'provider/list': { params: none, result: object({ providers: { type: 'array', items: object({ name: string, type: string }) } }) },
  'bucket/list': { params: object(provider), result: object({ buckets: { type: 'array', items: object({ name: string, createdAt: timeOrNull }) } }) },
  'bucket/create': { params: object({ ...provider, name: bucketName }), result: object({ name: string }) },
  'bucket/delete': { params: object(bucket), result: none },
  'object/list': {
    params: object(
      {
        ...bucket,
        prefix: { ...keyPrefix, default: '' },
        delimiter: { type: 'string', enum: ['/'] },
        cursor: text(4_096),
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 200 },
      },
      ['prefix', 'delimiter', 'cursor', 'limit'],
    ),
    result: object({
      objects: { type: 'array', items: object({ key: string, size: { type: 'integer', description: 'Bytes.' }, etag: string, lastModified: string }) },
      prefixes: strings,
      nextCursor: { type: ['string', 'null'] },
    }),
  },
  'object/head': {
    params: object(one),
    result: object({ key: string, size: { type: 'integer', description: 'Bytes.' }, etag: string, lastModified: timeOrNull, contentType: string }),
  },
  'object/delete': {
    params: object({ ...bucket, key: { ...objectKey, description: 'One key, or `keys` with a result for each.' }, keys: { type: 'array', items: objectKey, minItems: 1, maxItems: 1000 } }, ['key', 'keys']),
    result: object({ deleted: strings, failed: { type: 'array', items: object({ key: string, code: string }) } }),
  },
  'object/copy': {
    params: object(
      {
        ...one,
        to: object({ provider: providerName, bucket: bucketName, key: objectKey }, ['provider', 'bucket']),
        move: { ...boolean, default: false },
        ifNoneMatch: { type: 'string', enum: ['*'], description: 'Refuses to overwrite.' },
      },
      ['move', 'ifNoneMatch'],
    ),
    result: object({ provider: string, bucket: string, key: string, etag: string }),
  },
  'object/presign': {
    params: object({ ...one, method: { type: 'string', enum: ['GET', 'PUT'] }, expiresIn: { type: 'integer', minimum: 1, maximum: 604800, description: 'Seconds.' } }),
    result: object({ url: string, method: { type: 'string', enum: ['GET', 'PUT'] }, expiresAt: string }),
  },
  'permission/list': {
    params: object({ ...bucket, prefix: { ...keyPrefix, description: 'Not together with `key`.' }, key: objectKey }, ['bucket', 'prefix', 'key']),
    result: object({ actions: actionNames }),
  },
  'upload/create': { params: object({ ...one, contentType: { type: 'string', maxLength: 255 } }, ['contentType']), result: object({ id: string }) },
  'upload/get': { params: object(upload), result: partList },
  'upload/complete': { params: object({ ...upload, ...completeRequest.properties }), result: object({ etag: string, size: { type: 'integer', description: 'Bytes of the object.' } }) },
  'upload/abort': { params: object(upload), result: none },
  'transfer/create': {
    params: object(
      {
        direction: { type: 'string', enum: ['download', 'upload'] },
        ...one,
        upload: { ...object({ id: upload.id, part: partPath.properties.n }), description: 'With `upload`: the transfer is this part of an upload that `upload/create` began.' },
      },
      ['upload'],
    ),
    result: object({ url: string, method: { type: 'string', enum: ['GET', 'PUT'] }, expiresAt: { type: 'string', description: 'RFC 3339: until when the transfer may start.' } }),
  },
  'apiKey/create': { params: newApiKey, result: issuedApiKey },
  'apiKey/list': { params: none, result: apiKeyList },
  'apiKey/rotate': { params: apiKeyId, result: issuedApiKey },
  'apiKey/replaceScope': { params: newScope, result: changedApiKey },
  'apiKey/revoke': { params: apiKeyId, result: none },
};
