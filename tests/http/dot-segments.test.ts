import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rpcSchemas, type RpcMethodName } from '../../src/wire/rpc.ts';
import type { WireSchema } from '../../src/wire/schema.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest, type RawAnswer } from '../support/raw-request.ts';
import { plantKeys } from '../support/s3rver-gaps.ts';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  app = await startApp({
    config: (config) => ({ ...config, providers: withKeepingOne(config['providers'] as object[]) }),
  });
  const visitor = await app.signIn('ada');
  cookie = `svc_session=${visitor.cookie(app.origin, 'svc_session')}`;
  plantKeys(app.s3.server.store, 'files', ['hr/secret', 'open/there']);
  plantKeys(app.s3.server.store, 'photos', ['private']);
});
afterAll(() => app.close());

/** The same storage once more, as one that is known to keep such keys apart. */
function withKeepingOne(providers: readonly object[]): object[] {
  return [...providers, { ...providers[0], name: 'keeping', dot_segments: 'keep' }];
}

const DOTTED = [
  '.',
  '..',
  './hr/secret',
  'open/./../hr/secret',
  '../photos/private',
  'open/..',
  'open/../hr/secret',
  'a/..//b',
];
/** Names that only look like it. */
const UNDOTTED = ['...', '.hidden', 'a./b', 'a..b', 'a/...', '..a/b'];

const send = (method: string, path: string, body?: unknown): Promise<RawAnswer> =>
  rawRequest(app.origin, path, {
    method,
    headers: { cookie, origin: app.origin, ...(typeof body === 'object' && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const rpc = async (
  method: string,
  params: unknown,
): Promise<{ error?: { data?: { code?: string; errors?: unknown } } }> =>
  (await send('POST', '/rpc', { jsonrpc: '2.0', id: 1, method, params })).json() as {
    error?: { data?: { code?: string } };
  };

const FILES = '/api/providers/main/buckets/files';
const PARTS = { parts: [{ number: 1, etag: '"x"' }] };
type Way = (key: string) => Promise<RawAnswer>;
const q = encodeURIComponent;

/** Every way of a route that takes a key or a prefix, by its row. */
const ROUTES: Readonly<Record<string, readonly Way[]>> = {
  'get /api/providers/:provider/buckets/:bucket/permissions': [
    (key) => send('GET', `${FILES}/permissions?key=${q(key)}`),
    (key) => send('GET', `${FILES}/permissions?prefix=${q(key)}`),
  ],
  'post /api/places': [
    (prefix) =>
      send('POST', '/api/places', { mark: 'favourite', places: [{ provider: 'main', bucket: 'files', prefix }] }),
  ],
  'post /api/providers/:provider/buckets/:bucket/permissions': [
    (key) => send('POST', `${FILES}/permissions`, { keys: ['open/there', key] }),
  ],
  'get /api/providers/:provider/buckets/:bucket/objects': [(key) => send('GET', `${FILES}/objects?prefix=${q(key)}`)],
  'get /api/providers/:provider/buckets/:bucket/search': [(key) => send('GET', `${FILES}/search?q=x&prefix=${q(key)}`)],
  'get /api/providers/:provider/buckets/:bucket/size': [(key) => send('GET', `${FILES}/size?prefix=${q(key)}`)],
  'get /api/providers/:provider/buckets/:bucket/versions': [
    (key) => send('GET', `${FILES}/versions?key=${q(key)}`),
    (key) => send('GET', `${FILES}/versions?prefix=${q(key)}`),
  ],
  'post /api/providers/:provider/buckets/:bucket/object/restore': [
    (key) => send('POST', `${FILES}/object/restore`, { key, version: 'null' }),
  ],
  'post /api/providers/:provider/buckets/:bucket/objects/restore': [
    (prefix) => send('POST', `${FILES}/objects/restore`, { prefix, at: '2026-01-31T17:00:00Z' }),
  ],
  'post /api/providers/:provider/buckets/:bucket/object/unarchive': [
    (key) => send('POST', `${FILES}/object/unarchive`, { key }),
  ],
  'post /api/providers/:provider/buckets/:bucket/object/purge': [
    (key) => send('POST', `${FILES}/object/purge`, { key, version: 'null' }),
  ],
  'get /api/providers/:provider/buckets/:bucket/object': [
    (key) => send('GET', `${FILES}/object?version=null&key=${q(key)}`),
    (key) => send('GET', `${FILES}/object?key=${q(key)}`),
    (key) => send('HEAD', `${FILES}/object?key=${q(key)}`),
  ],
  'get /api/providers/:provider/buckets/:bucket/object/thumbnail': [
    (key) => send('GET', `${FILES}/object/thumbnail?key=${q(key)}`),
  ],
  'get /api/providers/:provider/buckets/:bucket/object/activity': [
    (key) => send('GET', `${FILES}/object/activity?key=${q(key)}`),
  ],
  'put /api/providers/:provider/buckets/:bucket/object': [
    (key) => send('PUT', `${FILES}/object?key=${q(key)}`, 'overwritten'),
  ],
  'delete /api/providers/:provider/buckets/:bucket/object': [(key) => send('DELETE', `${FILES}/object?key=${q(key)}`)],
  'post /api/providers/:provider/buckets/:bucket/objects/delete': [
    (key) => send('POST', `${FILES}/objects/delete`, { keys: ['open/there too', key] }),
  ],
  'post /api/providers/:provider/buckets/:bucket/objects/copy': [
    (key) => send('POST', `${FILES}/objects/copy`, { key, to: { key: 'open/copy' } }),
    (key) => send('POST', `${FILES}/objects/copy`, { key: 'open/there', to: { key } }),
    (key) => send('POST', `${FILES}/objects/copy`, { key, to: { key: 'open/copy' }, move: true }),
    (key) => send('POST', `${FILES}/objects/copy`, { key, to: { provider: 'keeping', bucket: 'photos', key } }),
    (key) => send('POST', `${FILES.replace('main', 'keeping')}/objects/copy`, { key, to: { provider: 'main', key } }),
  ],
  'put /api/providers/:provider/buckets/:bucket/object/properties': [
    (key) => send('PUT', `${FILES}/object/properties?key=${encodeURIComponent(key)}`, { if_match: '*' }),
  ],
  'put /api/providers/:provider/buckets/:bucket/object/tags': [
    (key) => send('PUT', `${FILES}/object/tags?key=${encodeURIComponent(key)}`, { tags: [] }),
  ],
  'post /api/providers/:provider/buckets/:bucket/object/presign': [
    (key) => send('POST', `${FILES}/object/presign`, { key, method: 'GET', expires_in: 60 }),
    (key) => send('POST', `${FILES}/object/presign`, { key, method: 'PUT', expires_in: 60 }),
  ],
  'post /api/providers/:provider/buckets/:bucket/archive': [
    (key) => send('POST', `${FILES}/archive`, { keys: [key] }),
    (key) => send('POST', `${FILES}/archive`, { prefixes: ['open/', key] }),
  ],
  'post /api/providers/:provider/buckets/:bucket/uploads': [(key) => send('POST', `${FILES}/uploads`, { key })],
  'put /api/providers/:provider/buckets/:bucket/uploads/:id/parts/:number': [
    (key) => send('PUT', `${FILES}/uploads/id/parts/1?key=${q(key)}`, 'x'),
  ],
  'get /api/providers/:provider/buckets/:bucket/uploads/:id': [
    (key) => send('GET', `${FILES}/uploads/id?key=${q(key)}`),
  ],
  'post /api/providers/:provider/buckets/:bucket/uploads/:id/complete': [
    (key) => send('POST', `${FILES}/uploads/id/complete?key=${q(key)}`, PARTS),
  ],
  'delete /api/providers/:provider/buckets/:bucket/uploads/:id': [
    (key) => send('DELETE', `${FILES}/uploads/id?key=${q(key)}`),
  ],
  'post /api/admin/explain': [
    (key) => send('POST', '/api/admin/explain', { action: 'objects:get', provider: 'main', bucket: 'files', key }),
  ],
  'get /api/admin/audit': [(key) => send('GET', `/api/admin/audit?provider=main&bucket=files&key=${q(key)}`)],
  'get /api/admin/who': ['key', 'prefix'].map(
    (member) => (key) =>
      send('GET', `/api/admin/who?action=objects:get&provider=main&bucket=files&${member}=${q(key)}`),
  ),
};

const bucket = { provider: 'main', bucket: 'files' };
const scopeOf = (resource: object) => ({
  description: 'x',
  scope: { rules: [{ actions: ['objects:get'], resources: [{ ...bucket, ...resource }] }] },
});

/** Params with a key in each place that can hold one, by RPC method. */
const METHODS: Readonly<Partial<Record<RpcMethodName, (key: string) => readonly object[]>>> = {
  'object/list': (prefix) => [{ ...bucket, prefix }],
  'object/watch': (prefix) => [{ ...bucket, prefix }],
  'object/search': (prefix) => [{ ...bucket, prefix, q: 'x' }],
  'object/size': (prefix) => [{ ...bucket, prefix }],
  'object/listVersions': (key) => [
    { ...bucket, key },
    { ...bucket, prefix: key },
  ],
  'object/restore': (key) => [{ ...bucket, key, version: 'null' }],
  'object/restoreFolder': (prefix) => [{ ...bucket, prefix, at: '2026-01-31T17:00:00Z' }],
  'object/unarchive': (key) => [{ ...bucket, key }],
  'object/purge': (key) => [{ ...bucket, key, version: 'null' }],
  'object/head': (key) => [
    { ...bucket, key },
    { ...bucket, key, version: 'null' },
  ],
  'object/tags': (key) => [{ ...bucket, key }],
  'object/setTags': (key) => [{ ...bucket, key, tags: [] }],
  'object/setProperties': (key) => [{ ...bucket, key, ifMatch: '*' }],
  'object/activity': (key) => [{ ...bucket, key }],
  'object/delete': (key) => [
    { ...bucket, key },
    { ...bucket, keys: ['x', key] },
  ],
  'object/copy': (key) => [
    { ...bucket, key, to: { key: 'x' } },
    { ...bucket, key: 'open/there', to: { key } },
    { ...bucket, key, to: { key: 'x' }, move: true },
  ],
  'object/presign': (key) => [
    { ...bucket, key, method: 'GET', expiresIn: 60 },
    { ...bucket, key, method: 'PUT', expiresIn: 60 },
  ],
  'permission/list': (key) => [
    { ...bucket, key },
    { ...bucket, prefix: key },
    { ...bucket, keys: ['open/there', key] },
  ],
  'place/mark': (prefix) => [{ mark: 'favourite', places: [{ ...bucket, prefix }] }],
  'audit/list': (key) => [{ ...bucket, key }],
  'policy/who': (key) => [
    { ...bucket, key, action: 'objects:get' },
    { ...bucket, prefix: key, action: 'objects:get' },
  ],
  'upload/create': (key) => [{ ...bucket, key }],
  'upload/get': (key) => [{ ...bucket, key, id: 'id' }],
  'upload/complete': (key) => [{ ...bucket, key, id: 'id', ...PARTS }],
  'upload/abort': (key) => [{ ...bucket, key, id: 'id' }],
  'upload/list': (prefix) => [{ ...bucket, prefix }],
  'upload/copyPart': (key) => [
    { ...bucket, key, id: 'id', number: 1, from: { bucket: 'files', key: 'open/there' } },
    { ...bucket, key: 'open/there', id: 'id', number: 1, from: { bucket: 'files', key } },
  ],
  'transfer/create': (key) => [
    { ...bucket, key, direction: 'download' },
    { ...bucket, key, direction: 'upload' },
    { ...bucket, key, direction: 'upload', upload: { id: 'id', part: 1 } },
  ],
  's3Key/create': (key) =>
    [
      { type: 'object', key },
      { type: 'prefix', prefix: key },
    ].map((each) => ({ provider: 'main', ...scopeOf(each) })),
  's3Key/replaceScope': (key) =>
    [
      { type: 'object', key },
      { type: 'prefix', prefix: key },
    ].map((each) => ({
      accessKeyId: 'id',
      scope: scopeOf(each).scope,
    })),
  'apiKey/create': (key) => [scopeOf({ type: 'object', key }), scopeOf({ type: 'prefix', prefix: key })],
  'apiKey/replaceScope': (key) => [
    { id: 'id', scope: scopeOf({ type: 'object', key }).scope },
    { id: 'id', scope: scopeOf({ type: 'prefix', prefix: key }).scope },
  ],
};

/** Whether a schema has a member that names a key or what keys start with. */
const takesKey = (schema: WireSchema | 'stream' | object | undefined): boolean =>
  schema !== undefined && /"(key|keys|prefix|prefixes)":\{/.test(JSON.stringify(schema));

async function everyFile(): Promise<string[]> {
  const files = await readdir(join(app.s3.server.store.getBucketPath('files'), '..'), { recursive: true });
  return files.filter((name) => /_object$/.test(name)).sort();
}

describe('a key with a segment that is `.` or `..`', () => {
  it('is known here, in `ROUTES` and `METHODS`, for every row and every RPC method that takes a key', () => {
    const rows = app.rows.filter((row) => [row.query, row.body].some((schema) => takesKey(schema)));
    expect(Object.keys(ROUTES).sort()).toEqual(rows.map((row) => `${row.method} ${row.path}`).sort());
    const methods = Object.entries(rpcSchemas).flatMap(([name, { params }]) => (takesKey(params) ? [name] : []));
    expect(Object.keys(METHODS).sort()).toEqual(methods.sort());
  });

  it.each(Object.keys(ROUTES))('is refused by %s with 400, before storage is asked', async (row) => {
    const before = await everyFile();
    for (const way of ROUTES[row]!) {
      for (const key of DOTTED) {
        app.storageCalls.reset();
        const answer = await way(key);
        expect([key, answer.status]).toEqual([key, 400]);
        if (answer.body.length > 0)
          expect(answer.json()).toMatchObject({
            code: 'invalid_request',
            errors: [{ message: expect.stringContaining('segment `.` or `..`') }],
          });
        expect(app.storageCalls.calls).toEqual([]);
      }
    }
    expect(await everyFile()).toEqual(before);
  });

  it.each(Object.keys(METHODS) as RpcMethodName[])(
    'is refused by RPC %s as invalid_request, before storage is asked',
    async (method) => {
      const before = await everyFile();
      for (const key of DOTTED) {
        for (const params of METHODS[method]!(key)) {
          app.storageCalls.reset();
          expect([params, (await rpc(method, params)).error?.data]).toEqual([
            params,
            expect.objectContaining({
              code: 'invalid_request',
              errors: [expect.objectContaining({ message: expect.stringContaining('segment `.` or `..`') })],
            }),
          ]);
          expect(app.storageCalls.calls).toEqual([]);
        }
      }
      expect(await everyFile()).toEqual(before);
    },
  );

  it('is refused to those whom policy allows nothing, with 400 as well', async () => {
    const nobody = await app.signIn('nobody');
    const answer = await rawRequest(app.origin, `${FILES}/object?key=../x`, {
      headers: { cookie: `svc_session=${nobody.cookie(app.origin, 'svc_session')}` },
    });
    expect(answer.status).toBe(400);
  });

  it('does not stand for names that only look like it', async () => {
    for (const key of UNDOTTED) {
      expect([key, (await send('PUT', `${FILES}/object?key=${q(key)}`, key)).status]).toEqual([key, 200]);
      expect((await send('GET', `${FILES}/object?key=${q(key)}`)).text()).toBe(key);
      expect((await send('DELETE', `${FILES}/object?key=${q(key)}`)).status).toBe(204);
    }
  });

  it('reaches a provider with `dot_segments: keep`', async () => {
    app.storageCalls.reset();
    expect((await send('GET', `${FILES.replace('main', 'keeping')}/object?key=${q('open/../x')}`)).status).toBe(404);
    expect((await send('GET', `${FILES.replace('main', 'keeping')}/permissions?prefix=../`)).status).toBe(200);
    expect((await send('GET', `${FILES.replace('main', 'keeping')}/objects?prefix=../`)).status).toBe(200);
    expect(app.storageCalls.calls.length).toBeGreaterThan(0);
  });
});
