import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';

let app: TestApp;
let ada: RpcClient;
let dan: RpcClient;
let nobody: RpcClient;

beforeAll(async () => {
  app = await startApp();
  const client = async (account: string) =>
    RpcClient.bearer(app.origin, (await signInDesktop(app, account)).access_token);
  [ada, dan, nobody] = [await client('ada'), await client('dan'), await client('nobody')];
});
afterAll(() => app.close());

const put = (key: string, body: string) =>
  app.signIn('ada').then((visitor) =>
    visitor.request(`${app.origin}/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`, {
      method: 'PUT',
      body,
      headers: { 'content-type': 'text/plain' },
    }),
  );

describe('POST /rpc', () => {
  it('answers initialize with what the service can do', async () => {
    expect(await ada.call('initialize', {})).toEqual({
      server: { name: 'svc', version: '0.0.0-test' },
      capabilities: { apiKeys: true, s3Keys: true, places: true, admin: true, audit: false },
      s3: { endpoint: `http://127.0.0.1:${app.service.s3Port}`, region: 'svc' },
    });
  });

  it('says who is signed in, and until when', async () => {
    const { expiresAt, ...person } = await dan.call('session/get', {});
    expect(person).toEqual({
      issuer: app.issuer,
      subject: 'dan',
      groups: ['team'],
      name: 'Dan Denied',
      kind: 'desktop',
    });
    expect(Date.parse(expiresAt ?? '')).toBeGreaterThan(Date.now());
  });

  it('walks from bucket to object and back', async () => {
    await ada.call('bucket/create', { provider: 'main', name: 'rpc-made' });
    expect((await ada.call('bucket/list', { provider: 'main' })).buckets.map(({ name }) => name)).toContain('rpc-made');
    await ada.call('bucket/delete', { provider: 'main', bucket: 'rpc-made' });
    expect((await ada.fails('bucket/delete', { provider: 'main', bucket: 'rpc-made' })).code).toBe(-32004);
  });

  it('lists, describes, copies, moves, shares and deletes objects', async () => {
    const place = { provider: 'main', bucket: 'files' };
    await put('rpc/a ü.txt', 'hello');
    expect(await ada.call('object/head', { ...place, key: 'rpc/a ü.txt' })).toMatchObject({
      size: 5,
      contentType: 'text/plain',
    });
    await ada.call('object/copy', { ...place, key: 'rpc/a ü.txt', to: { key: 'rpc/b.txt' } });
    await ada.call('object/copy', { ...place, key: 'rpc/b.txt', to: { key: 'rpc/c.txt' }, move: true });
    const listed = await ada.call('object/list', { ...place, prefix: 'rpc/', delimiter: '/' });
    expect(listed.objects.map(({ key }) => key)).toEqual(['rpc/a ü.txt', 'rpc/c.txt']);
    const rest = await ada.call('object/list', { ...place, prefix: 'rpc/', startAfter: 'rpc/a ü.txt' });
    expect(rest.objects.map(({ key }) => key)).toEqual(['rpc/c.txt']);
    for (const startAfter of ['\ud800', 'ü'.repeat(1024)])
      expect(await ada.fails('object/list', { ...place, startAfter })).toMatchObject({
        data: { code: 'invalid_request', errors: [expect.objectContaining({ path: 'startAfter' })] },
      });
    const link = await ada.call('object/presign', { ...place, key: 'rpc/c.txt', method: 'GET', expiresIn: 60 });
    expect(await (await fetch(link.url)).text()).toBe('hello');
    expect(await ada.call('object/delete', { ...place, keys: ['rpc/a ü.txt', 'rpc/c.txt'] })).toEqual({
      deleted: ['rpc/a ü.txt', 'rpc/c.txt'],
      failed: [],
    });
    expect((await ada.fails('object/head', { ...place, key: 'rpc/c.txt' })).code).toBe(-32004);
  });

  it('copies and moves with `ifNoneMatch` only to where nothing is', async () => {
    const place = { provider: 'main', bucket: 'files' };
    await put('rpc/new', 'new');
    await put('rpc/taken', 'stays');
    for (const move of [false, true]) {
      expect(
        await ada.fails('object/copy', { ...place, key: 'rpc/new', to: { key: 'rpc/taken' }, move, ifNoneMatch: '*' }),
      ).toMatchObject({ data: { code: 'precondition_failed' } });
    }
    expect(
      await ada.fails('object/copy', { ...place, key: 'rpc/new', to: { key: 'rpc/free' }, ifNoneMatch: 'x' as '*' }),
    ).toMatchObject({ code: -32602 });
    await ada.call('object/copy', { ...place, key: 'rpc/new', to: { key: 'rpc/free' }, move: true, ifNoneMatch: '*' });
    const { objects } = await ada.call('object/list', { ...place, prefix: 'rpc/' });
    expect(objects.map(({ key, size }) => [key, size])).toEqual([
      ['rpc/free', 3],
      ['rpc/taken', 5],
    ]);
    await ada.call('object/delete', { ...place, keys: ['rpc/free', 'rpc/taken'] });
  });

  it('asks policy for every method', async () => {
    const place = { provider: 'main', bucket: 'files' };
    const secret = { ...place, key: 'secret/x' };
    for (const [method, params] of [
      ['object/head', secret],
      ['object/delete', secret],
      ['object/copy', { ...secret, to: { key: 'elsewhere' } }],
      ['object/copy', { ...place, key: 'open', to: { key: 'secret/y' } }],
      ['object/presign', { ...secret, method: 'GET', expiresIn: 60 }],
      ['transfer/create', { ...secret, direction: 'download' }],
      ['transfer/create', { ...secret, direction: 'upload' }],
    ] as const) {
      expect(await dan.fails(method, params)).toMatchObject({
        code: -32003,
        data: { code: 'access_denied', reason: 'explicit_deny' },
      });
    }
    expect(await dan.call('object/delete', { ...place, keys: ['secret/x'] })).toEqual({
      deleted: [],
      failed: [{ key: 'secret/x', code: 'access_denied' }],
    });
    expect(await dan.fails('bucket/create', { provider: 'main', name: 'not-mine' })).toMatchObject({
      code: -32003,
      data: { reason: 'no_matching_allow' },
    });
    expect(await dan.call('permission/list', { ...place, prefix: 'secret/' })).toEqual({
      actions: ['buckets:read'],
      here: [],
    });
    expect(await dan.call('permission/list', { ...place, keys: ['open', 'listed only.txt', 'secret/x'] })).toEqual({
      keys: {
        open: ['objects:read', 'objects:list', 'objects:get', 'objects:write', 'objects:delete', 'objects:presign'],
        'listed only.txt': ['objects:list', 'objects:write', 'objects:delete', 'objects:presign'],
        'secret/x': [],
      },
    });
    expect(await nobody.call('provider/list', {})).toEqual({ providers: [] });
    expect(await nobody.call('bucket/list', { provider: 'main' })).toEqual({ buckets: [] });
    expect(await nobody.call('object/list', place)).toEqual({ objects: [], prefixes: [], nextCursor: null });
  });

  it('asks about one kind of thing at a time, and about keys in a bucket only', async () => {
    const place = { provider: 'main', bucket: 'files' };
    for (const two of [
      { prefix: 'a/', key: 'a' },
      { prefix: 'a/', keys: ['a'] },
      { key: 'a', keys: ['a'] },
    ]) {
      expect(await dan.fails('permission/list', { ...place, ...two })).toMatchObject({
        data: { code: 'invalid_request', detail: expect.stringContaining('either `prefix`, `key` or `keys`') },
      });
    }
    expect(await dan.fails('permission/list', { provider: 'main', keys: ['a'] })).toMatchObject({
      data: { code: 'invalid_request', errors: [{ path: expect.stringContaining('bucket') }] },
    });
  });

  it('takes a batch of exactly 50, and none of 51', async () => {
    const batch = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'session/get' })));
    const answers = (await (await dan.send(batch(50))).json()) as object[];
    expect(answers).toHaveLength(50);
    expect(answers.at(-1)).toMatchObject({ id: 49, result: { subject: 'dan' } });
    expect(await (await dan.send(batch(51))).json()).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it('takes an id of 256 characters, and none of 257', async () => {
    const answerTo = async (id: string) =>
      (await dan.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'session/get' }))).json() as Promise<unknown>;
    expect(await answerTo('i'.repeat(256))).toMatchObject({ id: 'i'.repeat(256), result: { subject: 'dan' } });
    expect(await answerTo('i'.repeat(257))).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it('takes an empty list of params for none', async () => {
    const ask = async (method: string) =>
      (await ada.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))).json() as Promise<unknown>;
    expect(await ask('session/get')).toMatchObject({ result: { subject: 'ada' } });
    expect(await ask('bucket/list')).toMatchObject({ error: { code: -32602 } });
  });

  it('answers a batch in order, leaves out notifications, and bounds it', async () => {
    const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'session/get' });
    const batch = (await (
      await ada.send(JSON.stringify([request(1), { jsonrpc: '2.0', method: 'session/get' }, request(2)]))
    ).json()) as { id: number }[];
    expect(batch.map(({ id }) => id)).toEqual([1, 2]);
    expect((await ada.send(JSON.stringify([{ jsonrpc: '2.0', method: 'session/get' }]))).status).toBe(204);
    expect(
      await (await ada.send(JSON.stringify(Array.from({ length: 51 }, (_, i) => request(i))))).json(),
    ).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await (await ada.send('[]')).json()).toMatchObject({ error: { code: -32600 } });
  });

  it.each([
    ['{', -32700],
    ['1', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
    ['{"jsonrpc":"1.0","id":1,"method":"session/get"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"session/get"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"bucket/list","params":{}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"bucket/list","params":["main"]}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"bucket/list","params":{"provider":"main","__proto__":{}}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"object/head","params":{"provider":"main","bucket":"..","key":"x"}}', -32602],
  ])('answers %s with %d', async (body, code) => {
    expect(await (await ada.send(body)).json()).toMatchObject({ error: { code } });
  });

  it('says of a fault of the params as a whole only what it is', async () => {
    const { error } = (await (
      await ada.send('{"jsonrpc":"2.0","id":1,"method":"object/delete","params":{"provider":"main","bucket":"files"}}')
    ).json()) as { error: { data: object } };
    expect(error.data).toEqual({
      code: 'invalid_request',
      detail: 'give either `key` or `keys`',
      errors: [{ path: '', message: 'give either `key` or `keys`' }],
    });
  });

  it('refuses a body over 1 MiB with 413', async () => {
    expect(
      (
        await ada.send(
          JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { pad: 'x'.repeat(1_100_000) } }),
        )
      ).status,
    ).toBe(413);
  });

  it('answers 401 without a credential, and to one that is not ours', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer nonsense' },
      { authorization: 'Bearer svc_ak_0123456789abcdef01234567_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
      { cookie: 'svc_session=s%3Aforged.signature', origin: app.origin },
    ]) {
      const answer = await new RpcClient(app.origin, headers).send('{"jsonrpc":"2.0","id":1,"method":"session/get"}');
      const isSent = Object.keys(headers).length > 0;
      expect([answer.status, await answer.json()]).toMatchObject([
        401,
        {
          error: {
            code: -32001,
            data: {
              detail: isSent
                ? 'the credential is not valid, or has ended'
                : 'the request has no credential (`Authorization: Bearer …`)',
            },
          },
        },
      ]);
    }
  });

  it('takes the cookie with our own origin, and with no other', async () => {
    const visitor = await app.signIn('ada');
    const cookie = `svc_session=${visitor.cookie(app.origin, 'svc_session')!}`;
    const ask = async (headers: Record<string, string>) =>
      (await new RpcClient(app.origin, headers).send('{"jsonrpc":"2.0","id":1,"method":"session/get"}')).status;
    expect(await ask({ cookie, origin: app.origin })).toBe(200);
    expect(await ask({ cookie, origin: 'https://evil.example' })).toBe(403);
    expect(await ask({ cookie })).toBe(403);
  });
});

describe('transfer tickets', () => {
  const place = { provider: 'main', bucket: 'files', key: 'tickets/täst 100%.txt' };

  it('upload once and download with ranges', async () => {
    const up = await ada.call('transfer/create', { ...place, direction: 'upload' });
    expect(
      (await fetch(up.url, { method: up.method, body: '0123456789', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(200);
    expect((await fetch(up.url, { method: up.method, body: 'again' })).status).toBe(404);
    const down = await ada.call('transfer/create', { ...place, direction: 'download' });
    expect(await (await fetch(down.url)).text()).toBe('0123456789');
    const rest = await fetch(down.url, { headers: { range: 'bytes=4-' } });
    expect([rest.status, await rest.text()]).toEqual([206, '456789']);
    expect((await fetch(down.url, { method: 'PUT', body: 'x' })).status).toBe(404);
    expect((await fetch(down.url, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });

  it('die with the session that made them, and stand in no log', async () => {
    const { access_token: credential } = await signInDesktop(app, 'ada');
    const { url } = await RpcClient.bearer(app.origin, credential).call('transfer/create', {
      ...place,
      direction: 'download',
    });
    expect(
      (
        await fetch(`${app.origin}/v1/auth/logout`, {
          method: 'POST',
          headers: { authorization: `Bearer ${credential}` },
        })
      ).status,
    ).toBeLessThan(300);
    expect((await fetch(url)).status).toBe(404);
    expect(app.logged()).toContain('object/read');
    expect(app.logged()).not.toContain(url.split('/').at(-1));
  });
});
