import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { auditLines } from '../support/audit-cases.ts';
import { filesOf } from '../support/files.ts';
import { rawRequest } from '../support/raw-request.ts';
import { RpcClient } from '../support/rpc-client.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { listingOf } from '../storage/listed-storage.ts';
import { ToldStorage } from '../storage/told-storage.ts';

/** The provider `told` has what a test says; `ada` may do everything, `dan` nothing beneath `secret/` of `files`. */
const told = ToldStorage.forTests();
let app: TestApp;
const cookies = new Map<string, string>();
beforeAll(async () => {
  app = await startApp({
    config: (config) => ({
      ...config,
      providers: [
        ...(config['providers'] as object[]),
        {
          name: 'told',
          type: 's3',
          endpoint: told.endpoint,
          path_style: true,
          credentials: { access_key_id: 'x', secret_access_key: 'x' },
        },
      ],
    }),
  });
  for (const account of ['ada', 'dan', 'nobody'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
});
afterAll(() => app.close());

const get = (path: string, account = 'ada') =>
  rawRequest(app.origin, path, { headers: { cookie: `svc_session=${cookies.get(account)!}` } });
const linesIn = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const numbered = (count: number, name: (number: string) => string) =>
  Array.from({ length: count }, (_, i) => name(String(i).padStart(6, '0')));
const SEARCH = '/api/providers/told/buckets/bucket/search';
const SIZE = '/api/providers/told/buckets/bucket/size';

describe('GET …/search', () => {
  it('answers in lines, with members in snake_case', async () => {
    told.answer = listingOf([{ key: 'a/beach.jpg', size: 7, lastModified: '2025-01-01T00:00:00.000Z' }, 'beach/b']);
    const answer = await get(`${SEARCH}?q=beach&folders=true`);
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      'application/x-ndjson',
      'no-store',
    ]);
    expect(linesIn(answer.text())).toEqual([
      { object: { key: 'a/beach.jpg', size: 7, etag: '"e"', last_modified: '2025-01-01T00:00:00.000Z' } },
      { prefix: 'beach/' },
      { seen: 2 },
      { done: true },
    ]);
  });

  it('goes on with its cursor', async () => {
    told.answer = listingOf(numbered(10_500, (number) => `k${number}`));
    const first = linesIn((await get(`${SEARCH}?kind=other`)).text());
    const rest = linesIn((await get(`${SEARCH}?kind=other&cursor=${String(first.at(-1)!['next_cursor'])}`)).text());
    expect([
      first.filter((line) => 'object' in line).length,
      rest.filter((line) => 'object' in line).length,
      rest.at(-1),
    ]).toEqual([10_000, 500, { done: true }]);
    expect((await get(`${SEARCH}?kind=text&cursor=${String(first.at(-1)!['next_cursor'])}`)).status).toBe(400);
  });

  it.each([
    '?kind=film',
    '?min_size=-1',
    '?min_size=x',
    '?after=soon',
    '?cursor=x',
    '?prefix=../',
    '?prefix=a/../b',
    '?limit=3',
    '?folders=yes',
    '?tag=',
    '?tag=%3Dapproved',
    `?tag=${'x'.repeat(386)}`,
    '?q=a&q=b',
  ])('refuses %s with 400, and asks storage for nothing', async (query) => {
    expect((await get(SEARCH + query)).json()).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(told.asked).toEqual([]);
  });

  it('answers a person without a grant with nothing, and asks storage for nothing', async () => {
    expect(linesIn((await get(`${SEARCH}?q=a`, 'nobody')).text())).toEqual([{ seen: 0 }, { done: true }]);
    expect(linesIn((await get(SIZE, 'nobody')).text())).toEqual([
      { objects: 0, bytes: 0, deletable: 0 },
      { done: true },
    ]);
    expect(told.asked).toEqual([]);
  });

  it('answers a fault before the first line as a problem, and tells a later one in the last line', async () => {
    told.answer = () => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    expect((await get(`${SEARCH}?q=a`)).json()).toMatchObject({ status: 502, code: 'storage_unavailable' });

    const listing = listingOf(numbered(9_000, (number) => `k${number}`));
    told.answer = (request) =>
      (request.query.get('start-after') ?? '') > 'k002'
        ? { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }
        : listing(request);
    const answer = await get(`${SEARCH}?q=k00`);
    const lines = linesIn(answer.text());
    expect([answer.status, lines.filter((line) => 'error' in line)]).toEqual([
      200,
      [
        {
          error: expect.objectContaining({
            code: 'storage_unavailable',
            status: 502,
            request_id: answer.headers['x-request-id'],
          }),
        },
      ],
    ]);
    expect(Object.keys(lines.at(-1)!)).toEqual(['error']);
    expect(await auditLines(app, answer.headers['x-request-id'] as string)).toMatchObject([
      { operation: 'object/search', outcome: 'failed', why: 'storage_unavailable' },
    ]);
  });

  it('stops asking storage when its client leaves', async () => {
    told.answer = listingOf(
      numbered(200_000, (number) => `k${number}`),
      20,
    );
    const leaving = new AbortController();
    const answer = await fetch(`${app.origin}${SEARCH}?q=000`, {
      headers: { cookie: `svc_session=${cookies.get('ada')!}` },
      signal: leaving.signal,
    });
    await answer.body!.getReader().read();
    leaving.abort();
    let before = -1;
    for (let looks = 0; before !== told.asked.length; looks += 1) {
      expect(looks).toBeLessThan(20);
      before = told.asked.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(before).toBeLessThan(5_000);
  });

  it('ends with its session', async () => {
    told.answer = listingOf(
      numbered(200_000, (number) => `k${number}`),
      10,
    );
    const cookie = `svc_session=${(await app.signIn('ada')).cookie(app.origin, 'svc_session')!}`;
    const answer = await fetch(`${app.origin}${SEARCH}?q=none`, { headers: { cookie } });
    const ended = answer.text().then(
      () => 'whole',
      () => 'cut',
    );
    await fetch(`${app.origin}/api/auth/logout`, { headers: { cookie } });
    expect(await ended).toBe('cut');
  });

  it('refuses the seventeenth at once, and the others end', async () => {
    told.answer = listingOf(
      numbered(3_000, (number) => `k${number}`),
      50,
    );
    const answers = await Promise.all(Array.from({ length: 200 }, () => get(`${SEARCH}?q=001`)));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    for (const answer of answers) {
      if (answer.status === 200) expect(linesIn(answer.text()).at(-1)).toEqual({ done: true });
      else
        expect([answer.json(), answer.headers['retry-after']]).toEqual([
          expect.objectContaining({ code: 'rate_limited' }),
          '5',
        ]);
    }
    expect((await get(`${SEARCH}?q=001`)).status).toBe(200);
  });

  it('says before the first line that storage has no tags', async () => {
    const listing = listingOf(['a.txt']);
    told.answer = (request) =>
      request.query.has('tagging')
        ? { status: 501, body: '<Error><Code>NotImplemented</Code></Error>' }
        : listing(request);
    expect((await get(`${SEARCH}?tag=a`)).json()).toMatchObject({
      status: 501,
      code: 'not_supported',
      detail: 'storage provider `told` has no tags; search without a tag',
    });
    expect(linesIn((await get(`${SEARCH}?tag=a&kind=pdf`)).text()).at(-1)).toEqual({ done: true });
  });

  it('answers HEAD, and leaves nothing under way', async () => {
    told.answer = listingOf(['a']);
    for (let i = 0; i < 20; i += 1)
      expect(
        (
          await rawRequest(app.origin, `${SEARCH}?q=a`, {
            method: 'HEAD',
            headers: { cookie: `svc_session=${cookies.get('ada')!}` },
          })
        ).status,
      ).toBe(200);
  });
});

describe('a search for a tag in real storage', () => {
  const tags = new Map([
    ['a.txt', [{ key: 'state', value: 'approved, paid' }]],
    ['b.txt', [{ key: 'state', value: 'draft' }]],
    ['c.txt', []],
    ['listed only.txt', [{ key: 'state', value: 'approved, paid' }]],
    ['secret/d.txt', [{ key: 'state', value: 'approved, paid' }]],
  ]);
  const place = { provider: 'main', bucket: 'files' };
  beforeAll(async () => {
    const ada = RpcClient.bearer(app.origin, (await signInDesktop(app, 'ada')).access_token);
    const files = filesOf(app, await app.signIn('ada'), 'files');
    for (const [key, each] of tags) {
      await files.put(key, 'x');
      if (each.length > 0) await ada.call('object/setTags', { ...place, key, tags: each });
    }
  });

  it.each([
    ['ada', 'state', ['a.txt', 'b.txt', 'listed only.txt', 'secret/d.txt']],
    ['ada', 'state=approved, paid', ['a.txt', 'listed only.txt', 'secret/d.txt']],
    ['dan', 'state', ['a.txt', 'b.txt']],
    ['dan', 'state=approved, paid', ['a.txt']],
    ['nobody', 'state', []],
  ])('finds for %s with %s, in lines and in pages, what they may read', async (account, tag, keys) => {
    app.storageCalls.reset();
    const path = `/api/providers/main/buckets/files/search?tag=${encodeURIComponent(tag)}`;
    const lines = linesIn((await get(path, account)).text()) as { object?: { key: string } }[];
    expect(lines.flatMap(({ object }) => object?.key ?? [])).toEqual(keys);
    const rpc = RpcClient.bearer(app.origin, (await signInDesktop(app, account)).access_token);
    expect((await rpc.call('object/search', { ...place, tag })).objects.map(({ key }) => key)).toEqual(keys);
    if (account === 'dan')
      expect(app.storageCalls.calls.filter((call) => /tagging/.test(call) && /listed|secret/.test(call))).toEqual([]);
  });
});

describe('GET …/size', () => {
  it('tells the count so far, each folder, and the end', async () => {
    told.answer = listingOf(
      numbered(2_500, (number) => `${number.slice(0, 3)}/${number}`).map((key) => ({ key, size: 10 })),
    );
    expect(linesIn((await get(SIZE)).text())).toEqual([
      { objects: 1_000, bytes: 10_000, deletable: 1_000 },
      { folder: { prefix: '000/', objects: 1_000, bytes: 10_000, deletable: 1_000 } },
      { objects: 2_000, bytes: 20_000, deletable: 2_000 },
      { folder: { prefix: '001/', objects: 1_000, bytes: 10_000, deletable: 1_000 } },
      { folder: { prefix: '002/', objects: 500, bytes: 5_000, deletable: 500 } },
      { objects: 2_500, bytes: 25_000, deletable: 2_500 },
      { done: true },
    ]);
  });
});

describe('RPC object/search and object/size', () => {
  it('answer a page, and go on with its cursor', async () => {
    told.answer = listingOf(numbered(1_200, (number) => `a/k${number}`));
    const rpc = RpcClient.bearer(app.origin, (await signInDesktop(app, 'ada')).access_token);
    const place = { provider: 'told', bucket: 'bucket' };
    const first = await rpc.call('object/search', { ...place, q: 'k', minSize: 1 });
    expect([first.objects.length, first.seen]).toEqual([1_000, 1_000]);
    const second = await rpc.call('object/search', { ...place, q: 'k', minSize: 1, cursor: first.nextCursor! });
    expect([second.objects.length, second.nextCursor]).toEqual([200, null]);
    expect(await rpc.call('object/size', { ...place, prefix: 'a' })).toEqual({
      objects: 1_200,
      bytes: 1_200 * 9,
      deletable: 1_200,
      folders: [{ prefix: 'a/', objects: 1_200, bytes: 1_200 * 9, deletable: 1_200 }],
      nextCursor: null,
    });
  });
});
