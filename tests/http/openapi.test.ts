import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalogue } from '../../src/errors/catalogue.ts';
import { REFERENCE_FILES } from '../../scripts/build/reference-files.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { rawRequest, type RawAnswer, type RawRequest } from '../support/raw-request.ts';

type Media = { readonly schema: object; readonly example?: unknown; readonly examples?: object };
type Response = {
  readonly $ref?: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Media>>;
};
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
  readonly example: unknown;
};
type Operation = {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
};
type Document = {
  readonly info: { version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<
        string,
        {
          readonly properties: Record<string, { readonly enum?: readonly string[] }>;
          readonly required: readonly string[];
        }
      >
    >;
  };
};

const committed = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as Document;
const operations = Object.entries(committed.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, operation })),
);
const operationAt = (at: string): Operation => operations.find((each) => each.at === at)!.operation;
const parametersOf = (at: string, place: string): string[] =>
  operationAt(at)
    .parameters.filter((parameter) => parameter.in === place)
    .map(({ name }) => name);

let app: TestApp;
let cookie: string;

beforeAll(async () => {
  // As the build of the web UI leaves them.
  const webDirectory = await mkdtemp(join(tmpdir(), 'svc-reference-'));
  await mkdir(join(webDirectory, 'reference'));
  for (const file of REFERENCE_FILES)
    await copyFile(
      createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`),
      join(webDirectory, 'reference', file),
    );
  app = await startApp({
    webDirectory,
    config: (config) => ({
      ...config,
      audit: { path: 'audit', signing_secret: 'a signing secret of the tests, long enough' },
    }),
  });
  cookie = (await app.signIn('ada')).cookie(app.origin, 'svc_session')!;
});
// Compares every answer with the document.
afterAll(() => app.close());

function send(method: string, path: string, request: RawRequest = {}): Promise<RawAnswer> {
  return rawRequest(app.origin, path, {
    method,
    ...request,
    headers: { cookie: `svc_session=${cookie}`, ...request.headers },
  });
}

const json = (body: unknown): RawRequest => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const MAIN = '/api/providers/main/buckets';

describe('openapi/openapi.json', () => {
  it('is what the service says of itself, after `npm run build:docs`', async () => {
    const served = (await send('GET', '/api/openapi.json')).json() as Document;
    expect({ ...served, info: { ...served.info, version: committed.info.version } }).toEqual(committed);
  });

  it('goes compressed to a client that accepts it, and says the same', async () => {
    for (const [accepted, read] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, body } = await send('GET', '/api/openapi.json', { headers: { 'accept-encoding': accepted } });
      expect(headers).toMatchObject({ 'content-encoding': accepted, vary: 'Accept-Encoding' });
      expect(body.length).toBeLessThan(100_000);
      expect(JSON.parse(read(body).toString())).toMatchObject({ components: committed.components });
    }
  });

  it('has every row, HEAD beside each GET that takes it, and `/rpc`, each with an id of its own', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    const rows = app.rows.map((row) => `${row.method.toUpperCase()} ${row.path.replace(/:(\w+)/g, '{$1}')}`);
    const heads = app.rows
      .filter(({ method, head }) => method === 'get' && head !== false)
      .map(({ path }) => `HEAD ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(operations.map(({ at }) => at).sort()).toEqual([...rows, ...heads, 'GET /rpc', 'POST /rpc'].sort());
  });

  it('names no method that is answered 405', async () => {
    // `GET /rpc` opens a WebSocket: without its headers it is 405.
    const answered = await Promise.all(
      operations
        .filter(({ at }) => at !== 'GET /rpc')
        .map(async ({ at }) => {
          const [method = '', path = ''] = at.split(' ');
          return { at, status: (await rawRequest(app.origin, path.replace(/\{\w+\}/g, 'xxx'), { method })).status };
        }),
    );
    expect(answered.filter(({ status }) => status === 405)).toEqual([]);
  });

  it('names what a sign-in is asked with', () => {
    expect(parametersOf('GET /v1/auth/authorize', 'query')).toEqual([
      'return_to',
      'response_type',
      'client_id',
      'redirect_uri',
      'state',
      'code_challenge',
      'code_challenge_method',
    ]);
    for (const family of ['api', 'v1'])
      expect(parametersOf(`GET /${family}/auth/callback`, 'query')).toEqual([
        'state',
        'code',
        'iss',
        'error',
        'error_description',
      ]);
    expect(committed.components.schemas['TokenRequest']?.required).toEqual([
      'grant_type',
      'client_id',
      'redirect_uri',
      'code',
      'code_verifier',
    ]);
    expect(Object.keys(operationAt('GET /v1/auth/callback').responses['401']?.content ?? {})).toEqual([
      'application/problem+json',
      'text/html',
    ]);
  });

  it('names the headers that count, and bodies of any type', () => {
    const object = '/api/providers/{provider}/buckets/{bucket}/object';
    expect(parametersOf(`GET ${object}`, 'header')).toEqual([
      'Range',
      'If-Range',
      'If-None-Match',
      'If-Modified-Since',
    ]);
    expect(parametersOf(`HEAD ${object}`, 'header')).toEqual(['If-None-Match', 'If-Modified-Since']);
    expect(parametersOf(`PUT ${object}`, 'header')).toEqual(['If-None-Match']);
    expect(Object.keys(operationAt(`GET ${object}`).responses['206']?.headers ?? {})).toEqual(
      expect.arrayContaining(['X-Request-Id', 'ETag', 'Content-Range']),
    );
    expect(Object.keys(operationAt(`GET ${object}`).responses['206']?.content ?? {})).toEqual(['*/*']);
    expect(Object.keys(operationAt('GET /api/auth/callback').responses['303']?.headers ?? {})).toEqual([
      'X-Request-Id',
      'Location',
      'Set-Cookie',
    ]);
    expect(Object.keys(operationAt('GET /api/auth/login').responses['429']?.headers ?? {})).toContain('Retry-After');
  });

  it('has a call for `/rpc` that can be sent as it is, and an answer that belongs to it', async () => {
    const { requestBody, responses } = operationAt('POST /rpc');
    const exampleIn = (part: { readonly content?: Response['content'] } | undefined) =>
      part?.content?.['application/json']?.example;
    const call = exampleIn(requestBody) as { readonly params: { readonly prefix: string } };
    const sent = await send('POST', '/rpc', {
      headers: { 'content-type': 'application/json', origin: app.origin },
      body: JSON.stringify(call),
    });
    expect(sent.json()).toMatchObject({ id: 1, result: { objects: [], prefixes: [] } });
    const { result } = exampleIn(responses['200']) as {
      readonly result: { readonly objects: readonly { readonly key: string }[]; readonly prefixes: readonly string[] };
    };
    for (const key of [...result.objects.map((object) => object.key), ...result.prefixes])
      expect(key).toMatch(new RegExp(`^${call.params.prefix}.+`));
  });

  it('knows every error code, and says 405 of every path', () => {
    expect(committed.components.schemas['Problem']?.properties['code']?.enum).toEqual(Object.keys(catalogue));
    expect(operations.filter(({ operation }) => operation.responses['405'] === undefined)).toEqual([]);
  });

  it('has an example for every parameter, body and answer, which fits its schema: from its `examples`, or by its name from `src/wire/example.ts`', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema({ ...committed, $id: 'document' });
    const faults: unknown[] = [];
    const check = (at: string, schema: object, example: unknown): void => {
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object);
      if (example === undefined || !validate(example)) faults.push([at, example, validate.errors]);
    };
    for (const { at, operation } of operations) {
      for (const { name, schema, example } of operation.parameters) check(`${at} ${name}`, schema, example);
      const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
        Object.entries(part?.content ?? {}),
      );
      for (const [type, { schema, example, examples }] of contents)
        if (examples === undefined) check(`${at} ${type}`, schema, example);
    }
    for (const [code, { value }] of Object.entries(
      (committed.components as unknown as { examples: Record<string, { value: unknown }> }).examples,
    ))
      check(code, { $ref: '#/components/schemas/Problem' }, value);
    expect(faults).toEqual([]);
  });

  it('describes every answer of each route', async () => {
    await send('GET', '/api/health');
    await send('GET', '/api/ready');
    await send('GET', '/api/auth/me');
    await send('GET', '/api/providers');
    await send('GET', '/api/places');
    await send(
      'POST',
      '/api/places',
      json({ mark: 'opened', places: [{ provider: 'main', bucket: 'files', prefix: '' }] }),
    );
    await send('GET', '/api/providers/main/permissions');
    await send('GET', `${MAIN}/files/permissions?prefix=a`);
    await send('POST', `${MAIN}/files/permissions`, json({ keys: ['a'] }));
    await send('POST', MAIN, json({ name: 'documented' }));
    await send('POST', MAIN, json({ name: 'documented' }));
    await send('GET', MAIN);
    for (const key of ['a', 'b/c']) await send('PUT', `${MAIN}/documented/object?key=${key}`, { body: 'text' });
    await send('PUT', `${MAIN}/documented/object?key=a`, { headers: { 'if-none-match': '*' }, body: 'text' });
    await send('GET', `${MAIN}/documented/objects?delimiter=/`);
    await send('GET', `${MAIN}/documented/search?q=c`);
    await send('GET', `${MAIN}/documented/size`);
    await send('GET', `${MAIN}/documented/object?key=a`);
    await send('GET', `${MAIN}/documented/object?key=a`, { headers: { range: 'bytes=0-1' } });
    await send('GET', `${MAIN}/documented/object?key=a`, { headers: { range: 'bytes=9-' } });
    const { etag = '' } = (await send('GET', `${MAIN}/documented/object?key=a`)).headers;
    await send('GET', `${MAIN}/documented/object?key=a`, { headers: { 'if-none-match': etag } });
    await send('GET', `${MAIN}/documented/object?key=none`);
    await send('GET', `${MAIN}/documented/object`);
    await send('GET', `${MAIN}/documented/object/thumbnail?key=a`);
    await send('GET', `${MAIN}/documented/object/activity?key=a`);
    await send('POST', `${MAIN}/documented/objects/copy`, json({ key: 'a', to: { key: 'd' } }));
    await send('POST', `${MAIN}/documented/object/presign`, json({ key: 'a', method: 'GET', expires_in: 60 }));
    await send('POST', `${MAIN}/documented/archive`, json({ prefixes: [''] }));
    await send('DELETE', `${MAIN}/documented`);
    const { id } = (await send('POST', `${MAIN}/documented/uploads`, json({ key: 'u' }))).json() as { id: string };
    const { number, etag: partEtag } = (
      await send('PUT', `${MAIN}/documented/uploads/${id}/parts/1?key=u`, { body: 'part' })
    ).json() as { number: number; etag: string };
    await send(
      'POST',
      `${MAIN}/documented/uploads/${id}/complete?key=u`,
      json({ parts: [{ number: 2, etag: partEtag }] }),
    );
    await send('GET', `${MAIN}/documented/uploads/${id}?key=u`);
    await send(
      'POST',
      `${MAIN}/documented/uploads/${id}/complete?key=u`,
      json({ parts: [{ number, etag: partEtag }] }),
    );
    await send('DELETE', `${MAIN}/documented/uploads/${id}?key=u`);
    await send('POST', `${MAIN}/documented/objects/delete`, json({ keys: ['a', 'b/c', 'd', 'u'] }));
    await send('DELETE', `${MAIN}/documented/object?key=a`);
    await send('DELETE', `${MAIN}/documented`);
    for (const page of ['roles', 'policies', 'bindings', 'providers', 'sessions', 'sign-ins', 'audit'])
      await send('GET', `/api/admin/${page}`);
    await send('DELETE', '/api/admin/sessions/unknown');
    await send('POST', '/api/admin/sessions/revoke', json({ issuer: 'https://id.example', subject: 'nobody' }));
    await send(
      'POST',
      '/api/admin/explain',
      json({ groups: ['team'], action: 'objects:read', provider: 'main', bucket: 'files', key: 'secret/a' }),
    );
    await send('POST', '/api/admin/explain', json({ action: 'buckets:create', provider: 'main' }));
    await send(
      'POST',
      '/api/admin/explain',
      json({ groups: ['team'], provider: 'main', bucket: 'files', prefix: 'a' }),
    );
    await send('POST', '/api/admin/view-as', json({ subject: 'dan', groups: ['team'] }));
    await send('GET', '/api/admin/who?action=objects:read&provider=main&bucket=files&key=secret/a');
    await send('GET', '/v1/transfers/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx');
    await send('PUT', '/v1/transfers/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', { body: 'x' });
    await send('GET', '/api/auth/login');
    await send('GET', '/v1/auth/authorize');
    await send('GET', '/v1/auth/authorize?client_id=x');
    for (const family of ['api', 'v1']) await send('GET', `/${family}/auth/callback?state=x`);
    await send('GET', '/v1/auth/session');
    await send('POST', '/v1/auth/token');
    await send('POST', '/v1/auth/backchannel-logout');
    await send('POST', '/v1/auth/logout');
    const { access_token: token } = await signInDesktop(app, 'ada');
    await send('POST', '/v1/auth/logout', { headers: { authorization: `Bearer ${token}` } });
    await send('GET', '/api/auth/logout', { headers: { cookie: '' } });

    for (const { at } of operations) {
      const [method = '', path = ''] = at.split(' ');
      if (method === 'HEAD') await send(method, path.replace(/\{\w+\}/g, 'x'));
    }
    await send('GET', '/rpc');
    for (const body of [
      '{"jsonrpc":"2.0","id":1,"method":"provider/list"}',
      '[{"jsonrpc":"2.0","method":"provider/list"}]',
      '[{"jsonrpc":"2.0","id":"a","method":"object/list","params":{}},{"jsonrpc":"2.0","id":2,"method":"session/get"}]',
      '{',
    ])
      await send('POST', '/rpc', { headers: { 'content-type': 'application/json', origin: app.origin }, body });
    await send('PATCH', '/api/providers');
    expect(
      operations.filter(({ at }) => ![...app.answers].some((each) => each.startsWith(`${at} `))).map(({ at }) => at),
    ).toEqual([]);
  });

  it('describes what a stranger, a person without any policy, and a bad request are answered', async () => {
    const nobody = { cookie: `svc_session=${(await app.signIn('nobody')).cookie(app.origin, 'svc_session')!}` };
    for (const row of app.rows) {
      const path = row.path.replace(
        /:(\w+)/g,
        (_match, name: string) =>
          ({ provider: 'main', bucket: 'files', number: '1', ticket: 'x'.repeat(43) })[name] ?? 'x',
      );
      const method = row.method.toUpperCase();
      for (const request of [
        { headers: { cookie: '' } },
        { headers: nobody },
        { headers: { ...nobody, origin: 'https://evil.example' } },
        ...(row.method === 'get'
          ? []
          : [
              { headers: nobody, body: '{"more": 1' },
              { headers: { ...nobody, 'content-type': 'application/json' }, body: '{"more": 1' },
            ]),
      ]) {
        if (row.path !== '/v1/auth/logout' || request.headers.cookie === '') await send(method, path, request);
        if (row.query !== undefined && row.path !== '/v1/auth/logout') await send(method, `${path}?unknown=1`, request);
      }
    }
    // Each answer was held against the document, and `close` tells of those that differ.
    for (const status of [400, 401, 403])
      expect([status, [...app.answers].filter((answer) => answer.endsWith(` ${status}`)).length > 10]).toEqual([
        status,
        true,
      ]);
  });
});

describe('GET /api/docs', () => {
  const get = (path: string, headers: Record<string, string>) => rawRequest(app.origin, path, { headers });
  let signedIn: Record<string, string>;
  beforeAll(async () => {
    signedIn = {
      accept: 'text/html',
      cookie: `svc_session=${(await app.signIn('vic')).cookie(app.origin, 'svc_session')!}`,
    };
  });

  it('is a page in a session, with everything that it loads, and no script of its own inside', async () => {
    const page = await get('/api/docs', signedIn);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain(`script-src ${app.origin}/api/docs/;`);
    const loaded = [...page.text().matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, path]) => new URL(path!, `${app.origin}/api/docs`),
    );
    expect(loaded.length).toBeGreaterThan(3);
    for (const { origin, pathname } of loaded)
      expect([origin, pathname, (await get(pathname, signedIn)).status]).toEqual([app.origin, pathname, 200]);
    expect(page.text()).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S/);
  });

  it('is sent to sign in by a browser without a session, and 401 to other clients, with all that lies beneath', async () => {
    const page = await get('/api/docs', { accept: 'text/html' });
    expect([page.status, page.headers.location]).toEqual([303, '/api/auth/login?return_to=%2Fapi%2Fdocs']);
    for (const path of ['/api/docs', '/api/docs/swagger-ui-bundle.js', '/api/docs/swagger-ui.css', '/api/docs/'])
      expect((await get(path, {})).status).toBe(401);
  });
});
