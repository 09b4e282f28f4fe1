import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Route } from '../../src/http/routing/route.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { HTTP_CASES } from '../support/audit-cases.ts';
import { rawRequest, type RawRequest } from '../support/raw-request.ts';

let app: TestApp;
const cookies = new Map<string, string>();

beforeAll(async () => {
  app = await startApp();
  for (const account of ['ada', 'vic'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
});
afterAll(() => app.close());

const VALUES: Readonly<Record<string, string>> = {
  provider: 'main',
  bucket: 'files',
  id: 'x',
  number: '1',
  ticket: 'x'.repeat(43),
};
const pathOf = (row: Route): string => row.path.replace(/:(\w+)/g, (_match, name: string) => VALUES[name]!);
const send = (path: string, request?: RawRequest) => rawRequest(app.origin, path, request);
const as = (account: string) => ({ cookie: `svc_session=${cookies.get(account)!}` });
const json = { 'content-type': 'application/json' };

const guarded = (): readonly Route[] => app.rows.filter((row) => row.access.kind !== 'open');

describe('every row', () => {
  it('has cases of its audit lines in `HTTP_CASES` of `tests/support/audit-cases.ts`', () => {
    const rows = app.rows.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(HTTP_CASES).sort()).toEqual(rows.sort());
  });
});

describe('every row that is not open', () => {
  it('answers 401 without a session, whatever else the request holds', async () => {
    expect(guarded().length).toBeGreaterThan(25);
    for (const row of guarded()) {
      for (const request of [
        {},
        { headers: json, body: '{' },
        { headers: { 'content-type': 'text/html' }, body: 'x' },
      ]) {
        const answer = await send(pathOf(row), {
          method: row.method.toUpperCase(),
          ...(row.method === 'get' ? {} : request),
        });
        expect([row.path, answer.status, answer.headers['content-type']]).toEqual([
          row.path,
          401,
          'application/problem+json; charset=utf-8',
        ]);
        expect(answer.json()).toMatchObject({
          type: 'urn:svc:problem:session_required',
          code: 'session_required',
          status: 401,
          request_id: answer.headers['x-request-id'],
        });
      }
    }
  });

  it('answers 401 to HEAD too, and to credentials in the query', async () => {
    const value = cookies.get('ada')!;
    for (const row of guarded().filter(({ method }) => method === 'get')) {
      expect([row.path, (await send(pathOf(row), { method: 'HEAD' })).status]).toEqual([row.path, 401]);
      expect(
        (
          await send(
            `${pathOf(row)}?access_token=${encodeURIComponent(value)}&svc_session=${encodeURIComponent(value)}`,
          )
        ).status,
      ).toBe(401);
    }
  });

  it('is not opened by headers that other services believe', async () => {
    for (const headers of [
      { 'x-original-url': '/api/health' },
      { 'x-rewrite-url': '/api/health' },
      { 'x-http-method-override': 'OPTIONS' },
      { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-user': 'ada', 'x-remote-user': 'ada' },
      { 'user-agent': 'kube-probe/1.30' },
      { 'user-agent': 'ELB-HealthChecker/2.0' },
    ]) {
      for (const row of guarded())
        expect((await send(pathOf(row), { method: row.method.toUpperCase(), headers })).status).toBe(401);
    }
  });
});

/** What a row needs to be asked. */
const QUESTIONS: Readonly<Record<string, string>> = { '/api/admin/who': '?action=providers:list&provider=main' };

describe('rows of the administration', () => {
  it('answer 403 admin_required to a viewer and something else to an admin', async () => {
    const rows = app.rows.filter((row) => row.access.kind === 'admin');
    expect(rows.length).toBeGreaterThan(4);
    for (const row of rows) {
      const method = row.method.toUpperCase();
      const refused = await send(pathOf(row), { method, headers: as('vic') });
      expect([row.path, refused.status, refused.json()]).toEqual([
        row.path,
        403,
        expect.objectContaining({ code: 'admin_required' }),
      ]);
      // The log holds the audit here, so there is nothing to ask.
      if (row.path.startsWith('/api/admin/audit')) continue;
      const answer = await send(pathOf(row) + (QUESTIONS[row.path] ?? ''), { method, headers: as('ada') });
      expect([row.path, answer.status]).toEqual([row.path, { get: 200, delete: 404, post: 400, put: 400 }[row.method]]);
    }
  });
});

describe('paths and methods that no row has', () => {
  it('answer 404 problems to unknown paths of the API, with and without a session', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/v1',
      '/v1/auth',
      '/v1/nothing',
      '/api/providers/main/buckets/files/object/key',
      '/api/auth/../health',
    ]) {
      for (const headers of [{}, as('ada'), { accept: 'text/html' }]) {
        const answer = await send(path, { headers });
        expect([path, answer.status, answer.headers['content-type']]).toEqual([
          path,
          404,
          'application/problem+json; charset=utf-8',
        ]);
        expect(answer.json()).toMatchObject({ code: 'not_found' });
      }
    }
  });

  it('answer 404 to other cases, trailing and doubled slashes of a path', async () => {
    for (const path of [
      '/API/health',
      '/api/Health',
      '/api/health/',
      '//api/health',
      '/api//health',
      '/api/health%2f',
      '/api/providers/',
      '/v1/auth/session/',
      '/V1/auth/session',
      '/api/providers/main/buckets/',
      '/api/DOCS',
    ]) {
      expect([path, (await send(path, { headers: as('ada') })).status]).toEqual([path, 404]);
    }
  });

  it('answer 405 with Allow to other methods', async () => {
    const paths = new Map<string, Set<string>>();
    for (const row of app.rows) paths.set(row.path, (paths.get(row.path) ?? new Set()).add(row.method.toUpperCase()));
    for (const [path, methods] of paths) {
      const other = ['PUT', 'POST', 'DELETE', 'PATCH'].find((method) => !methods.has(method))!;
      const row = app.rows.find((candidate) => candidate.path === path)!;
      const answer = await send(pathOf(row), { method: other, headers: as('ada') });
      expect([path, answer.status]).toEqual([path, 405]);
      expect(answer.json()).toMatchObject({ code: 'method_not_allowed' });
      expect(new Set(answer.headers.allow!.split(', '))).toEqual(
        new Set([...methods, ...(methods.has('GET') && row.head !== false ? ['HEAD'] : [])]),
      );
    }
  });

  it('take no method from a header or a body', async () => {
    const path = '/api/providers/main/buckets/files/object?key=kept.txt';
    expect((await send(path, { method: 'PUT', headers: as('ada'), body: 'kept' })).status).toBe(200);
    for (const headers of [
      { 'x-http-method-override': 'DELETE' },
      { 'x-method-override': 'DELETE' },
      { 'x-http-method': 'DELETE' },
    ]) {
      expect((await send(path, { headers: { ...as('ada'), ...headers } })).text()).toBe('kept');
      expect(
        (await send(`${path}&_method=DELETE`, { method: 'POST', headers: { ...as('ada'), ...headers } })).status,
      ).toBe(405);
    }
    expect((await send(path, { headers: as('ada') })).text()).toBe('kept');
  });

  it('answer TRACE, CONNECT-like and made-up methods with an error and no echo', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'OPTIONS']) {
      const answer = await send('/api/auth/me', { method, headers: { 'x-canary': 'echo-me' } });
      expect([method, answer.status]).toEqual([method, 405]);
      expect(answer.text()).not.toContain('echo-me');
    }
  });
});

describe('every answer', () => {
  it('has a request id of its own, nosniff, and no trace of the framework', async () => {
    const answers = await Promise.all(
      ['/api/health', '/api/nothing', '/api/providers', '/api/auth/me'].map((path) =>
        send(path, { headers: { 'x-request-id': 'chosen by the client' } }),
      ),
    );
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { headers } of answers) {
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect([headers['x-content-type-options'], headers['x-powered-by'], headers['etag']]).toEqual([
        'nosniff',
        undefined,
        undefined,
      ]);
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('to a fault of ours tells nothing of it', async () => {
    const answer = await send('/api/providers/main/buckets/files/object?key=%00', { headers: as('ada') });
    expect(answer.text()).not.toMatch(/node_modules|\.ts:|at /);
  });
});

describe('what a request holds', () => {
  const copy = '/api/providers/main/buckets/files/objects/copy';
  const post = (path: string, body: string | Buffer, headers = {}) =>
    send(path, { method: 'POST', headers: { ...as('ada'), ...json, ...headers }, body });

  it('is refused with 400 where a body is not JSON, not UTF-8, or not an object of the schema', async () => {
    const bad = [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '1',
      '{"name": 1}',
      '{"name": "abc", "more": 1}',
      '{"name": "abc", "__proto__": {"x": 1}}',
      '{"__proto__": {"name": "abc"}}',
      '{"name": "abc", "constructor": {"prototype": {}}}',
    ];
    for (const body of bad) {
      const answer = await post('/api/providers/main/buckets', body);
      expect([body, answer.status, (answer.json() as { code: string }).code]).toEqual([body, 400, 'invalid_request']);
    }
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect((await post(copy, '{"key": "a", "to": {"key": "b", "__proto__": {"bucket": "photos"}}}')).status).toBe(400);
  });

  it('names the place of a fault, and ends at the first', async () => {
    const faultsOf = async (body: string) => ((await post(copy, body)).json() as { errors: unknown }).errors;
    expect(await faultsOf('{"key": "", "to": {"bucket": 1}, "more": true}')).toEqual([
      { path: 'body', message: '`more` is not known here' },
    ]);
    expect(await faultsOf('{"key": "a", "to": {"bucket": 1}}')).toEqual([
      { path: 'body.to', message: '`key` is missing' },
    ]);
    expect(await faultsOf('{"key": "a", "to": {"bucket": 1, "key": "b"}}')).toEqual([
      expect.objectContaining({ path: 'body.to.bucket' }),
    ]);
  });

  it('is refused with 413 where a body is too large, compressed or not', async () => {
    const answer = await post('/api/providers/main/buckets', JSON.stringify({ name: 'a'.repeat(70_000) }));
    expect([answer.status, answer.json()]).toEqual([413, expect.objectContaining({ code: 'payload_too_large' })]);
  });

  it('is refused where a body has another type or an encoding that is not known', async () => {
    expect(
      (await post('/api/providers/main/buckets', '{"name": "from-a-form"}', { 'content-type': 'text/plain' })).status,
    ).toBe(415);
    expect((await post('/api/providers/main/buckets', 'x', { 'content-encoding': 'strange' })).status).toBe(415);
    expect(
      (await post('/api/providers/main/buckets', '{}', { 'content-type': 'application/json; charset=koi8-r' })).status,
    ).toBe(415);
  });

  it('is refused with 400 where a query name comes twice, is not UTF-8, or is not known', async () => {
    for (const query of [
      '?key=a&key=b',
      '?key=%ff',
      '?key=%C3%28',
      '?key=%',
      '?key=%zz',
      '?key=a&kex=b',
      '?key',
      '?',
      '?key[]=a',
      '?__proto__=x&key=a',
      '?key=a&download=yes',
    ]) {
      const answer = await send(`/api/providers/main/buckets/files/object${query}`, { headers: as('ada') });
      expect([query, answer.status, (answer.json() as { code: string }).code]).toEqual([query, 400, 'invalid_request']);
    }
  });

  it('is ignored where the row reads no query', async () => {
    for (const query of ['?key=%ff', '?a=1&a=2', '?__proto__=x'])
      expect([query, (await send(`/api/providers${query}`, { headers: as('ada') })).status]).toEqual([query, 200]);
  });

  it('is refused with 400 where the path is not percent-encoded UTF-8', async () => {
    for (const path of [
      '/api/providers/%ff/buckets',
      '/api/providers/%/buckets',
      '/api/providers/main/buckets/%c3%28/objects',
    ]) {
      expect([path, (await send(path, { headers: as('ada') })).status]).toEqual([path, 400]);
    }
  });
});

describe('every row', () => {
  it('reads cookies as texts, whatever their values look like', async () => {
    for (const value of [
      'j:{"a":1}',
      'j%3A%7B%22a%22%3A1%7D',
      'j:["s:x.y"]',
      'j:1',
      's:j:{}',
      '%ff',
      '',
      '__proto__',
    ]) {
      const headers = { cookie: `svc_login=${value}; svc_session=${value}; __proto__=${value}` };
      for (const row of app.rows) {
        const answer = await send(pathOf(row), { method: row.method.toUpperCase(), headers });
        expect([row.path, value, answer.status]).not.toEqual([row.path, value, 500]);
      }
    }
  });
});
