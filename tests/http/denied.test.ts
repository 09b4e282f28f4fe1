import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest, type RawAnswer, type RawRequest } from '../support/raw-request.ts';
import { plantKeys } from '../support/s3rver-gaps.ts';
import { unzip } from '../support/unzip.ts';

/** `dan` may do everything with objects of the bucket `files`, but nothing beneath `secret/`. `pia` may read and write beneath `2025/` of `photos`. */
let app: TestApp;
const cookies = new Map<string, string>();
beforeAll(async () => {
  app = await startApp();
  for (const account of ['ada', 'dan', 'pia', 'nobody'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
  for (const key of ['secret/there', 'open/there'])
    await ask('ada', 'PUT', `${FILES}/object?key=${key}`, { body: key });
});
afterAll(() => app.close());

const FILES = '/api/providers/main/buckets/files';
const ask = (account: string, method: string, path: string, { headers, body }: RawRequest = {}) =>
  rawRequest(app.origin, path, {
    method,
    headers: { cookie: `svc_session=${cookies.get(account)!}`, ...headers },
    ...(body !== undefined && { body }),
  });
const post = (account: string, path: string, body: unknown) =>
  ask(account, 'POST', FILES + path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** Every way to reach an object. */
const WAYS: Readonly<Record<string, (account: string, key: string) => Promise<RawAnswer>>> = {
  GET: (account, key) => ask(account, 'GET', `${FILES}/object?key=${key}`),
  'GET with a range': (account, key) =>
    ask(account, 'GET', `${FILES}/object?key=${key}`, { headers: { range: 'bytes=0-1' } }),
  'GET with If-None-Match': (account, key) =>
    ask(account, 'GET', `${FILES}/object?key=${key}`, { headers: { 'if-none-match': '*' } }),
  'GET as an attachment': (account, key) => ask(account, 'GET', `${FILES}/object?key=${key}&download=1`),
  PUT: (account, key) => ask(account, 'PUT', `${FILES}/object?key=${key}`, { body: 'x' }),
  'PUT with If-None-Match': (account, key) =>
    ask(account, 'PUT', `${FILES}/object?key=${key}`, { headers: { 'if-none-match': '*' }, body: 'x' }),
  DELETE: (account, key) => ask(account, 'DELETE', `${FILES}/object?key=${key}`),
  'copy from it': (account, key) => post(account, '/objects/copy', { key, to: { key: 'open/copy' } }),
  'copy to it': (account, key) => post(account, '/objects/copy', { key: 'open/there', to: { key } }),
  'move from it': (account, key) => post(account, '/objects/copy', { key, to: { key: 'open/copy' }, move: true }),
  'presign GET': (account, key) => post(account, '/object/presign', { key, method: 'GET', expires_in: 60 }),
  'presign PUT': (account, key) => post(account, '/object/presign', { key, method: 'PUT', expires_in: 60 }),
  'begin an upload': (account, key) => post(account, '/uploads', { key }),
  'send a part': (account, key) => ask(account, 'PUT', `${FILES}/uploads/some-id/parts/1?key=${key}`, { body: 'x' }),
  'list parts': (account, key) => ask(account, 'GET', `${FILES}/uploads/some-id?key=${key}`),
  'complete an upload': (account, key) =>
    post(account, `/uploads/some-id/complete?key=${key}`, { parts: [{ number: 1, etag: 'x' }] }),
  'drop an upload': (account, key) => ask(account, 'DELETE', `${FILES}/uploads/some-id?key=${key}`),
  'archive by key': (account, key) => post(account, '/archive', { keys: ['open/there', key] }),
};

describe('a denied object', () => {
  it.each(Object.keys(WAYS))(
    'is refused to %s, and looks the same as a missing one, without a call to storage',
    async (way) => {
      app.storageCalls.reset();
      for (const [account, reason] of [
        ['dan', 'explicit_deny'],
        ['nobody', 'no_matching_allow'],
      ] as const) {
        const [there, missing] = [await WAYS[way]!(account, 'secret/there'), await WAYS[way]!(account, 'secret/none')];
        for (const answer of [there, missing])
          expect([answer.status, answer.headers['content-type']]).toEqual([
            403,
            'application/problem+json; charset=utf-8',
          ]);
        const problem = there.json() as Record<string, unknown>;
        expect(problem).toMatchObject({ code: 'access_denied', action: expect.stringMatching(/^objects:/), reason });
        const shape = (answer: RawAnswer) =>
          answer
            .text()
            .replace(/"request_id":"[^"]+"/, '')
            .replaceAll('secret/none', 'secret/there');
        expect(shape(missing)).toBe(shape(there));
        const told = (answer: RawAnswer) =>
          Object.keys(answer.headers)
            .filter((name) => name !== 'content-length')
            .sort();
        expect(told(missing)).toEqual(told(there));
      }
      expect(app.storageCalls.calls).toEqual([]);
    },
  );

  it('is refused to HEAD, without a body', async () => {
    app.storageCalls.reset();
    for (const key of ['secret/there', 'secret/none']) {
      const answer = await ask('dan', 'HEAD', `${FILES}/object?key=${key}`);
      expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([403, 0, undefined]);
    }
    expect(app.storageCalls.calls).toEqual([]);
  });

  it('is left out of listings, archives of a prefix and bulk deletes', async () => {
    const listed = (await ask('dan', 'GET', `${FILES}/objects?delimiter=/`)).json() as { prefixes: string[] };
    expect(listed.prefixes).toEqual(['open/']);
    expect((await ask('dan', 'GET', `${FILES}/objects?prefix=secret/`)).json()).toEqual({
      objects: [],
      prefixes: [],
      next_cursor: null,
    });
    expect((await post('dan', '/archive', { prefixes: ['secret/'] })).text()).not.toContain('there');
    app.storageCalls.reset();
    const nothing = await post('nobody', '/archive', { prefixes: [''] });
    expect([nothing.status, unzip(nothing.body)]).toEqual([200, []]);
    expect(app.storageCalls.calls).toEqual([]);
    expect((await post('dan', '/objects/delete', { keys: ['secret/there', 'secret/none'] })).json()).toEqual({
      deleted: [],
      failed: ['secret/there', 'secret/none'].map((key) => ({ key, code: 'access_denied' })),
    });
    expect((await ask('ada', 'GET', `${FILES}/object?key=secret/there`)).text()).toBe('secret/there');
  });

  it('is written to the audit with who asked for what', async () => {
    const answer = await ask('dan', 'DELETE', `${FILES}/object?key=secret/there`);
    const line = app
      .logged()
      .split('\n')
      .find((each) => each.includes(answer.headers['x-request-id'] as string));
    expect(JSON.parse(line!)).toMatchObject({
      audit: true,
      operation: 'object/delete',
      outcome: 'denied',
      subject: 'dan',
      name: 'Dan Denied',
      issuer: app.issuer,
      resources: [
        {
          action: 'objects:delete',
          provider: 'main',
          bucket: 'files',
          key: 'secret/there',
          outcome: 'denied',
          why: 'explicit_deny',
        },
      ],
    });
  });

  it('is told with the action, whether it is missing or denied, and whom to ask', async () => {
    expect((await ask('nobody', 'GET', `${FILES}/object?key=x`)).json()).toMatchObject({
      detail: expect.stringMatching(/objects:get.*administrator/),
      action: 'objects:get',
      resource: { kind: 'object', provider: 'main', bucket: 'files', key: 'x' },
      reason: 'no_matching_allow',
    });
    expect((await ask('dan', 'GET', `${FILES}/object?key=secret/there`)).json()).toMatchObject({
      detail: expect.stringMatching(/^a policy denies `objects:get`/),
      reason: 'explicit_deny',
    });
  });
});

describe('a request that asks several questions', () => {
  const PHOTOS = '/api/providers/main/buckets/photos';
  const send = (path: string, body: unknown) =>
    ask('pia', 'POST', PHOTOS + path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

  it('is refused when one answer is no: a move without objects:delete, a link without objects:presign', async () => {
    expect((await ask('pia', 'PUT', `${PHOTOS}/object?key=2025/from`, { body: 'x' })).status).toBe(200);
    expect((await send('/objects/copy', { key: '2025/from', to: { key: '2025/to' } })).status).toBe(200);
    const refused = [
      [await send('/objects/copy', { key: '2025/from', to: { key: '2025/moved' }, move: true }), 'objects:delete'],
      [await send('/object/presign', { key: '2025/from', method: 'GET', expires_in: 60 }), 'objects:presign'],
      [await send('/objects/copy', { key: '2025/from', to: { key: '2024/to' } }), 'objects:write'],
      [await send('/objects/copy', { key: '2025/from', to: { bucket: 'files', key: '2025/to' } }), 'objects:write'],
    ] as const;
    for (const [answer, action] of refused)
      expect([answer.status, answer.json()]).toEqual([403, expect.objectContaining({ action })]);
    expect((await ask('pia', 'GET', `${PHOTOS}/object?key=2025/from`)).text()).toBe('x');
    for (const key of ['2025/from', '2025/to']) await ask('ada', 'DELETE', `${PHOTOS}/object?key=${key}`);
  });
});

describe('a listing for a caller with one allowed prefix', () => {
  it('costs at most three storage calls a page in a flat bucket of 10,000 keys', async () => {
    const flat = (name: string, n: number) =>
      Array.from({ length: n }, (_, i) => `${name}${String(i).padStart(5, '0')}`);
    plantKeys(app.s3.server.store, 'photos', [...flat('2024-', 5_000), ...flat('2025/', 10), ...flat('2026-', 5_000)]);
    for (const query of ['', '?delimiter=/', '?prefix=20', '?limit=5', '?prefix=2025/&limit=3']) {
      const keys: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        app.storageCalls.reset();
        const answer = await ask(
          'pia',
          'GET',
          `/api/providers/main/buckets/photos/objects${query}${cursor === '' ? '' : `${query === '' ? '?' : '&'}cursor=${cursor}`}`,
        );
        const page = answer.json() as { objects: { key: string }[]; prefixes: string[]; next_cursor: string | null };
        keys.push(...page.objects.map(({ key }) => key), ...page.prefixes);
        expect(app.storageCalls.calls.length).toBeLessThanOrEqual(3);
        cursor = page.next_cursor;
      }
      expect([query, keys]).toEqual([query, query === '?delimiter=/' ? ['2025/'] : flat('2025/', 10)]);
    }
  });

  it('refuses a cursor that was made up or belongs to another query, with 400', async () => {
    for (const cursor of [
      'x',
      '%00',
      Buffer.from('["a","b","c"]').toString('base64url'),
      Buffer.from('{}').toString('base64url'),
      'x'.repeat(9000),
    ]) {
      expect((await ask('pia', 'GET', `/api/providers/main/buckets/photos/objects?cursor=${cursor}`)).status).toBe(400);
    }
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=x',
      'limit=',
      'delimiter=x',
      'delimiter=',
      'delimiter=//',
      'delimiter=12345678901234567',
    ]) {
      expect([query, (await ask('pia', 'GET', `/api/providers/main/buckets/photos/objects?${query}`)).status]).toEqual([
        query,
        400,
      ]);
    }
  });
});
