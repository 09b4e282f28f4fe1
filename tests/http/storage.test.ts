import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { ODD_KEYS } from '../storage/keys.ts';
import { rawRequest, type RawRequest } from '../support/raw-request.ts';

let app: TestApp;
const cookies = new Map<string, string>();
beforeAll(async () => {
  app = await startApp();
  for (const account of ['ada', 'eve', 'vic', 'pia', 'dan', 'nobody'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
});
afterAll(() => app.close());

const MAIN = '/api/providers/main/buckets';
const ask = (account: string, method: string, path: string, { headers, body }: RawRequest = {}) =>
  rawRequest(app.origin, path, {
    method,
    headers: { cookie: `svc_session=${cookies.get(account)!}`, ...headers },
    ...(body !== undefined && { body }),
  });
const post = (account: string, path: string, body: unknown) =>
  ask(account, 'POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const object = (bucket: string, key: string) => `${MAIN}/${bucket}/object?key=${encodeURIComponent(key)}`;
const put = async (bucket: string, key: string, body: string, type = 'text/plain') =>
  expect((await ask('ada', 'PUT', object(bucket, key), { headers: { 'content-type': type }, body })).status).toBe(200);
const codeIn = (answer: { json(): unknown }) => (answer.json() as { code?: string }).code;

describe('GET /api/providers and buckets', () => {
  it('list only what the caller may see', async () => {
    const see = async (account: string, path: string) => (await ask(account, 'GET', path)).json();
    expect(await see('vic', '/api/providers')).toEqual({ providers: [{ name: 'main', type: 's3' }] });
    expect(await see('nobody', '/api/providers')).toEqual({ providers: [] });
    const names = async (account: string) =>
      ((await see(account, MAIN)) as { buckets: { name: string }[] }).buckets.map(({ name }) => name).sort();
    expect([await names('ada'), await names('pia'), await names('dan')]).toEqual([
      ['files', 'photos'],
      ['photos'],
      ['files'],
    ]);
  });

  it('ask storage nothing for a caller who may see nothing, and tell them nothing of what exists', async () => {
    app.storageCalls.reset();
    for (const provider of ['main', 'nowhere']) {
      expect((await ask('nobody', 'GET', `/api/providers/${provider}/buckets`)).json()).toEqual({ buckets: [] });
      expect((await ask('nobody', 'GET', `/api/providers/${provider}/buckets/files/objects`)).json()).toEqual({
        objects: [],
        prefixes: [],
        next_cursor: null,
      });
    }
    expect(app.storageCalls.calls).toEqual([]);
  });

  it('answer 404 for a provider that is not configured', async () => {
    const answer = await ask('ada', 'GET', '/api/providers/nowhere/buckets');
    expect([answer.status, codeIn(answer)]).toEqual([404, 'not_found']);
  });
});

describe('the ETag of a listing', () => {
  const list = (account: string, query: string, held?: string) =>
    ask(
      account,
      'GET',
      `${MAIN}/files/objects?${query}`,
      held === undefined ? {} : { headers: { 'if-none-match': held } },
    );
  const tagOf = async (account: string, query: string) => (await list(account, query)).headers['etag']!;

  it('stands while the page does, although its cursor differs each time, and changes with it', async () => {
    for (const name of ['1', '2', '3']) await put('files', `tag/${name}`, 'x');
    const query = 'prefix=tag/&limit=2';
    const tag = await tagOf('ada', query);
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(await tagOf('ada', query)).toBe(tag);
    for (const held of [tag, tag.slice(2), `"other", ${tag}`]) {
      const same = await list('ada', query, held);
      expect([same.status, same.headers['etag'], same.body.length]).toEqual([304, tag, 0]);
    }
    expect((await list('ada', query, '"other"')).status).toBe(200);
    await put('files', 'tag/1', 'more');
    const changed = await list('ada', query, tag);
    expect([changed.status, changed.headers['etag'] === tag]).toEqual([200, false]);
  });

  it('says nothing of keys that the caller may not see', async () => {
    const tag = await tagOf('nobody', 'prefix=tag/');
    await put('files', 'tag/4', 'x');
    expect((await list('nobody', 'prefix=tag/', tag)).status).toBe(304);
  });
});

describe('POST and DELETE of a bucket', () => {
  it('create with 201, and 409 the second time', async () => {
    const made = await post('ada', MAIN, { name: 'new-bucket' });
    expect([made.status, made.json()]).toEqual([201, { name: 'new-bucket' }]);
    const again = await post('ada', MAIN, { name: 'new-bucket' });
    expect([again.status, codeIn(again)]).toEqual([409, 'bucket_exists']);
  });

  it('delete with 204 what is empty, 409 what is not, 404 what is gone', async () => {
    await put('new-bucket', 'x', 'x');
    const full = await ask('ada', 'DELETE', `${MAIN}/new-bucket`);
    expect([full.status, codeIn(full)]).toEqual([409, 'bucket_not_empty']);
    expect((await ask('ada', 'DELETE', object('new-bucket', 'x'))).status).toBe(204);
    expect((await ask('ada', 'DELETE', `${MAIN}/new-bucket`)).status).toBe(204);
    const gone = await ask('ada', 'DELETE', `${MAIN}/new-bucket`);
    expect([gone.status, codeIn(gone)]).toEqual([404, 'not_found']);
  });

  it('answer 403 to an editor, whether or not the bucket exists', async () => {
    for (const answer of [
      await post('eve', MAIN, { name: 'evil-bucket' }),
      await ask('eve', 'DELETE', `${MAIN}/files`),
      await ask('eve', 'DELETE', `${MAIN}/no-such-bucket`),
    ]) {
      expect([answer.status, codeIn(answer)]).toEqual([403, 'access_denied']);
    }
  });

  it('answer 400 for a name that is none, before policy and storage are asked', async () => {
    app.storageCalls.reset();
    for (const name of ['..', 'a..b', '.ab', 'ab.', 'AB-C', 'a_b', '10.0.0.1', 'ä-bucket', 'a/b', 'ab']) {
      expect([name, (await post('nobody', MAIN, { name })).status]).toEqual([name, 400]);
      for (const [method, path] of [
        ['DELETE', ''],
        ['GET', '/objects'],
        ['GET', '/object?key=private/x'],
        ['PUT', '/object?key=private/x'],
        ['GET', '/permissions'],
        ['GET', '/permissions?prefix=a'],
        ['GET', '/uploads/x?key=x'],
      ] as const) {
        expect([
          name,
          path,
          (await ask('ada', method, `${MAIN}/${encodeURIComponent(name).replaceAll('.', '%2e')}${path}`)).status,
        ]).toEqual([name, path, 400]);
      }
      for (const [path, body] of [
        ['/objects/delete', { keys: ['x'] }],
        ['/archive', { keys: ['x'] }],
        ['/archive', { prefixes: [''] }],
        ['/uploads', { key: 'x' }],
        ['/objects/copy', { key: 'x', to: { key: 'y' } }],
      ] as const) {
        expect([
          name,
          path,
          (await post('ada', `${MAIN}/${encodeURIComponent(name).replaceAll('.', '%2e')}${path}`, body)).status,
        ]).toEqual([name, path, 400]);
      }
      expect(
        (await post('ada', `${MAIN}/files/objects/copy`, { key: 'x', to: { bucket: name, key: 'y' } })).status,
      ).toBe(400);
    }
    expect(app.storageCalls.calls).toEqual([]);
  });
});

describe('keys of every kind', () => {
  const KEYS = [...ODD_KEYS, 'e\u0301', '\u00e9', '日本'];

  it('go up, down, through a listing, and away again, byte for byte', async () => {
    for (const key of KEYS) await put('photos', key, `content of ${key}`);
    const listed = (await ask('ada', 'GET', `${MAIN}/photos/objects?limit=1000`)).json() as {
      objects: { key: string }[];
    };
    expect(listed.objects.map(({ key }) => key).sort()).toEqual([...KEYS].sort());
    for (const key of KEYS)
      expect([key, (await ask('ada', 'GET', object('photos', key))).text()]).toEqual([key, `content of ${key}`]);
    const shared = (
      await post('ada', `${MAIN}/photos/object/presign`, { key: 'a+b', method: 'GET', expires_in: 60 })
    ).json() as { url: string };
    expect(await (await fetch(shared.url)).text()).toBe('content of a+b');
    const copied = await post('ada', `${MAIN}/photos/objects/copy`, {
      key: 'q?x=1&y=2',
      to: { key: 'copy + 100% of ?' },
    });
    expect([copied.status, copied.json()]).toEqual([
      200,
      expect.objectContaining({ provider: 'main', bucket: 'photos', key: 'copy + 100% of ?' }),
    ]);
    expect((await ask('ada', 'GET', object('photos', 'copy + 100% of ?'))).text()).toBe('content of q?x=1&y=2');
    const deleted = (
      await post('ada', `${MAIN}/photos/objects/delete`, { keys: [...KEYS, 'copy + 100% of ?'] })
    ).json() as { deleted: string[]; failed: unknown[] };
    expect([deleted.deleted.length, deleted.failed]).toEqual([KEYS.length + 1, []]);
    expect((await ask('ada', 'GET', `${MAIN}/photos/objects`)).json()).toEqual({
      objects: [],
      prefixes: [],
      next_cursor: null,
    });
  });

  it('reach storage with their leading and doubled slashes as they are', async () => {
    const paths = { '/x': '/files//x', '//x': '/files///x', 'x//y': '/files/x//y' };
    for (const [key, path] of Object.entries(paths)) {
      app.storageCalls.reset();
      await ask('ada', 'HEAD', object('files', key));
      expect(app.storageCalls.calls).toEqual([`HEAD ${path}`]);
    }
  });

  it('copy with `If-None-Match: *` only to where nothing is', async () => {
    await put('photos', 'one', 'one');
    const copy = (key: string) =>
      ask('ada', 'POST', `${MAIN}/photos/objects/copy`, {
        headers: { 'content-type': 'application/json', 'if-none-match': '*' },
        body: JSON.stringify({ key: 'one', to: { key } }),
      });
    expect((await copy('two')).status).toBe(200);
    await put('photos', 'one', 'changed');
    const again = await copy('two');
    expect([again.status, codeIn(again), (await ask('ada', 'GET', object('photos', 'two'))).text()]).toEqual([
      412,
      'precondition_failed',
      'one',
    ]);
    await post('ada', `${MAIN}/photos/objects/delete`, { keys: ['one', 'two'] });
  });

  it('read + as a space in the query, as browsers send it, and %2B as +', async () => {
    await put('files', 'a b', 'space');
    expect((await ask('ada', 'GET', `${MAIN}/files/object?key=a+b`)).text()).toBe('space');
    expect((await ask('ada', 'GET', `${MAIN}/files/object?key=a%2Bb`)).status).toBe(404);
  });

  it('are refused with 400 when empty, over 1024 bytes, or not text', async () => {
    app.storageCalls.reset();
    const bad = ['', 'x'.repeat(1025), 'ü'.repeat(513), '🦊'.repeat(257)];
    for (const key of bad) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'])
        expect([key.length, method, (await ask('nobody', method, object('files', key))).status]).toEqual([
          key.length,
          method,
          400,
        ]);
    }
    for (const key of [...bad, '\ud800', 'a\udc00b']) {
      const requests = [
        ['objects/delete', { keys: ['fine', key] }],
        ['archive', { keys: [key] }],
        ['uploads', { key }],
        ['object/presign', { key, method: 'GET', expires_in: 1 }],
        ['objects/copy', { key, to: { key: 'x' } }],
        ['objects/copy', { key: 'x', to: { key } }],
      ] as const;
      for (const [path, body] of requests)
        expect([key.length, path, (await post('ada', `${MAIN}/files/${path}`, body)).status]).toEqual([
          key.length,
          path,
          400,
        ]);
    }
    expect(app.storageCalls.calls).toEqual([]);
    await put('files', '🦊'.repeat(20), 'long');
    expect((await ask('ada', 'DELETE', object('files', '🦊'.repeat(20)))).status).toBe(204);
  });
});

describe('POST …/objects/delete', () => {
  it('gives the outcome of each key', async () => {
    for (const key of ['one', 'two', 'secret/three']) await put('files', key, key);
    const answer = await post('dan', `${MAIN}/files/objects/delete`, {
      keys: ['one', 'secret/three', 'two', 'not there', 'one'],
    });
    expect(answer.json()).toEqual({
      deleted: ['one', 'two', 'not there'],
      failed: [{ key: 'secret/three', code: 'access_denied' }],
    });
    expect((await ask('ada', 'GET', object('files', 'secret/three'))).text()).toBe('secret/three');
  });

  it('takes 1 to 1000 keys', async () => {
    const keys = (n: number) => Array.from({ length: n }, (_, i) => `many/${i}`);
    for (const n of [0, 1001])
      expect((await post('ada', `${MAIN}/files/objects/delete`, { keys: keys(n) })).status).toBe(400);
    expect(
      ((await post('ada', `${MAIN}/files/objects/delete`, { keys: keys(1000) })).json() as { deleted: string[] })
        .deleted,
    ).toHaveLength(1000);
  });
});

describe('POST …/object/presign', () => {
  it('gives a link that works, its true end, and no credential of the caller', async () => {
    await put('files', 'share me.txt', 'shared');
    const answer = (
      await post('eve', `${MAIN}/files/object/presign`, { key: 'share me.txt', method: 'GET', expires_in: 60 })
    ).json() as { url: string; method: string; expires_at: string };
    expect(answer.method).toBe('GET');
    expect(Math.abs(Date.parse(answer.expires_at) - Date.now() - 60_000)).toBeLessThan(3_000);
    expect(answer.url).not.toContain(cookies.get('eve')!.slice(4, 20));
    expect(await (await fetch(answer.url)).text()).toBe('shared');
  });

  it('takes GET or PUT for 1 second to 7 days', async () => {
    for (const body of [
      { expires_in: 0 },
      { expires_in: 604_801 },
      { expires_in: 1.5 },
      { expires_in: '60' },
      { method: 'DELETE' },
      { method: 'get' },
    ]) {
      expect([
        body,
        (await post('ada', `${MAIN}/files/object/presign`, { key: 'x', method: 'GET', expires_in: 60, ...body }))
          .status,
      ]).toEqual([body, 400]);
    }
  });
});
