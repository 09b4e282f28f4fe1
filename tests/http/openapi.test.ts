import { readFileSync } from 'node:fs';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { rawRequest, type RawAnswer, type RawRequest } from '../support/raw-request.ts';

type Content = Readonly<Record<string, { readonly schema: AnySchemaObject }>>;
type Operation = { readonly operationId: string; readonly responses: Readonly<Record<string, { readonly content?: Content }>> };
type Document = { readonly info: { version: string }; readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>; readonly components: { readonly schemas: { readonly Problem: AnySchemaObject } } };

const committed = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as Document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: 'document', components: committed.components });

let app: TestApp;
let cookie: string;
/** `METHOD path status` of every answer that was compared with the document. */
const seen = new Set<string>();

beforeAll(async () => {
  app = await startApp();
  cookie = (await app.signIn('ada')).cookie(app.origin, 'svc_session')!;
});
afterAll(() => app.close());

function operationAt(method: string, path: string): { readonly template: string; readonly operation: Operation } {
  const pathname = path.split('?')[0]!;
  for (const [template, operations] of Object.entries(committed.paths)) {
    const operation = operations[method.toLowerCase()];
    if (operation !== undefined && new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname)) return { template, operation };
  }
  throw new Error(`${method} ${pathname} is not in the document`);
}

/** Sends a request and compares the answer with what the document says of it. */
async function documented(method: string, path: string, request: RawRequest = {}): Promise<RawAnswer> {
  const answer = await rawRequest(app.origin, path, { method, ...request, headers: { cookie: `svc_session=${cookie}`, ...request.headers } });
  const { template, operation } = operationAt(method, path);
  const response = operation.responses[String(answer.status)];
  expect([method, template, answer.status, response === undefined ? answer.text() : 'documented']).toEqual([method, template, answer.status, 'documented']);
  const type = answer.headers['content-type']?.split(';')[0] ?? '';
  if (response?.content === undefined) expect([method, template, answer.text()]).toEqual([method, template, '']);
  else {
    const schema = response.content[type]?.schema ?? response.content['application/octet-stream']?.schema;
    expect([method, template, Object.keys(response.content), schema === undefined ? type : 'documented']).toEqual([method, template, Object.keys(response.content), 'documented']);
    if (type.endsWith('json')) {
      const problem = schema!['$ref'] === '#/components/schemas/Problem';
      const validate = ajv.compile(problem ? { $ref: 'document#/components/schemas/Problem' } : schema!);
      expect([method, template, validate(answer.json()) ? null : validate.errors]).toEqual([method, template, null]);
    }
  }
  seen.add(`${method} ${template} ${answer.status}`);
  return answer;
}

const json = (body: unknown): RawRequest => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const MAIN = '/api/providers/main/buckets';

describe('openapi/openapi.json', () => {
  it('is what the service says of itself', async () => {
    const served = (await documented('GET', '/api/openapi.json')).json() as Document;
    expect({ ...served, info: { ...served.info, version: committed.info.version } }).toEqual(committed);
  });

  it('has every row, each with an id of its own', () => {
    const operations = Object.values(committed.paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(operations).toHaveLength(app.rows.length);
  });

  it('describes every answer of each route', async () => {
    await documented('GET', '/api/health');
    await documented('GET', '/api/ready');
    await documented('GET', '/api/auth/me');
    await documented('GET', '/api/providers');
    await documented('GET', '/api/providers/main/permissions');
    await documented('GET', `${MAIN}/files/permissions?prefix=a`);
    await documented('POST', MAIN, json({ name: 'documented' }));
    await documented('POST', MAIN, json({ name: 'documented' }));
    await documented('GET', MAIN);
    for (const key of ['a', 'b/c']) await documented('PUT', `${MAIN}/documented/object?key=${key}`, { body: 'text' });
    await documented('PUT', `${MAIN}/documented/object?key=a`, { headers: { 'if-none-match': '*' }, body: 'text' });
    await documented('GET', `${MAIN}/documented/objects?delimiter=/`);
    await documented('GET', `${MAIN}/documented/object?key=a`);
    await documented('GET', `${MAIN}/documented/object?key=a`, { headers: { range: 'bytes=0-1' } });
    await documented('GET', `${MAIN}/documented/object?key=a`, { headers: { range: 'bytes=9-' } });
    const { etag = '' } = (await documented('GET', `${MAIN}/documented/object?key=a`)).headers;
    await documented('GET', `${MAIN}/documented/object?key=a`, { headers: { 'if-none-match': etag } });
    await documented('GET', `${MAIN}/documented/object?key=none`);
    await documented('GET', `${MAIN}/documented/object`);
    await documented('POST', `${MAIN}/documented/objects/copy`, json({ key: 'a', to: { key: 'd' } }));
    await documented('POST', `${MAIN}/documented/object/presign`, json({ key: 'a', method: 'GET', expires_in: 60 }));
    await documented('POST', `${MAIN}/documented/archive`, json({ prefixes: [''] }));
    await documented('DELETE', `${MAIN}/documented`);
    const { id } = (await documented('POST', `${MAIN}/documented/uploads`, json({ key: 'u' }))).json() as { id: string };
    await documented('PUT', `${MAIN}/documented/uploads/${id}/parts/1?key=u`, { body: 'part' });
    await documented('GET', `${MAIN}/documented/uploads/${id}?key=u`);
    await documented('POST', `${MAIN}/documented/uploads/${id}/complete?key=u`);
    await documented('DELETE', `${MAIN}/documented/uploads/${id}?key=u`);
    await documented('POST', `${MAIN}/documented/objects/delete`, json({ keys: ['a', 'b/c', 'd', 'u'] }));
    await documented('DELETE', `${MAIN}/documented/object?key=a`);
    await documented('DELETE', `${MAIN}/documented`);
    for (const page of ['roles', 'policies', 'bindings', 'sessions']) await documented('GET', `/api/admin/${page}`);
    await documented('DELETE', '/api/admin/sessions/unknown');
    await documented('POST', '/api/admin/explain', json({ groups: ['team'], action: 'objects:read', provider: 'main', bucket: 'files', key: 'secret/a' }));
    await documented('POST', '/api/admin/explain', json({ action: 'buckets:create', provider: 'main' }));
    await documented('GET', '/v1/transfers/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx');
    await documented('PUT', '/v1/transfers/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', { body: 'x' });
    await documented('GET', '/api/auth/login');
    await documented('GET', '/v1/auth/authorize');
    await documented('GET', '/v1/auth/authorize?client_id=x');
    for (const family of ['api', 'v1']) await documented('GET', `/${family}/auth/callback?state=x`);
    await documented('GET', '/v1/auth/session');
    await documented('POST', '/v1/auth/token');
    await documented('POST', '/v1/auth/logout');
    const { access_token: token } = await signInDesktop(app, 'ada');
    await documented('POST', '/v1/auth/logout', { headers: { authorization: `Bearer ${token}` } });
    await documented('GET', '/api/auth/logout', { headers: { cookie: '' } });

    const operations = Object.entries(committed.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(operations.filter((operation) => ![...seen].some((each) => each.startsWith(`${operation} `)))).toEqual([]);
  });

  it('describes what a stranger, a person without any policy, and a bad request are answered', async () => {
    const nobody = { cookie: `svc_session=${(await app.signIn('nobody')).cookie(app.origin, 'svc_session')!}` };
    for (const row of app.rows) {
      const path = row.path.replace(/:(\w+)/g, (_match, name: string) => ({ provider: 'main', bucket: 'files', n: '1', ticket: 'x'.repeat(43) })[name] ?? 'x');
      const method = row.method.toUpperCase();
      for (const request of [{ headers: { cookie: '' } }, { headers: nobody }, { headers: { ...nobody, origin: 'https://evil.example' } }, ...(row.method === 'get' ? [] : [{ headers: nobody, body: '{"more": 1' }, { headers: { ...nobody, 'content-type': 'application/json' }, body: '{"more": 1' }])]) {
        if (row.path !== '/v1/auth/logout' || request.headers.cookie === '') await documented(method, path, request);
        if (row.query !== undefined && row.path !== '/v1/auth/logout') await documented(method, `${path}?unknown=1`, request);
      }
    }
  });
});

describe('GET /api/docs', () => {
  const get = (path: string, headers: Record<string, string>) => rawRequest(app.origin, path, { headers });
  let signedIn: Record<string, string>;
  beforeAll(async () => {
    signedIn = { accept: 'text/html', cookie: `svc_session=${(await app.signIn('vic')).cookie(app.origin, 'svc_session')!}` };
  });

  it('is a page in a session, with everything that it loads, and no script of its own inside', async () => {
    const page = await get('/api/docs', signedIn);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    const loaded = [...page.text().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => new URL(path!, `${app.origin}/api/docs`));
    expect(loaded.length).toBeGreaterThan(3);
    for (const { origin, pathname } of loaded) expect([origin, pathname, (await get(pathname, signedIn)).status]).toEqual([app.origin, pathname, 200]);
    expect(page.text()).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S/);
  });

  it('is sent to sign in by a browser without a session, and 401 to other clients, with all that lies beneath', async () => {
    const page = await get('/api/docs', { accept: 'text/html' });
    expect([page.status, page.headers.location]).toEqual([303, '/api/auth/login?return_to=%2Fapi%2Fdocs']);
    for (const path of ['/api/docs', '/api/docs/swagger-ui-bundle.js', '/api/docs/swagger-ui.css', '/api/docs/']) expect((await get(path, {})).status).toBe(401);
  });
});
