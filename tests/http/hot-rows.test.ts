import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw-request.ts';

let app: TestApp;
const cookies: Record<string, string> = {};
beforeAll(async () => {
  app = await startApp({
    config: (base) => ({ ...base, server: { ...(base['server'] as object), metrics: { port: 0 } } }),
  });
  for (const account of ['ada', 'vic', 'dan', 'nobody'])
    cookies[account] = `cookie: svc_session=${(await app.signIn(account)).cookie(app.origin, 'svc_session')!}`;
  for (const key of KEYS) expect(await asked(`PUT ${objectAt(key)}`, [cookies['ada']!], 'content')).toMatch(/ 200 /);
});
afterAll(() => app.close());

const FILES = '/api/providers/main/buckets/files';
const objectAt = (key: string) => `${FILES}/object?key=${encodeURIComponent(key)}`;
const KEYS = ['a.txt', 'folder/ö +.txt', 'secret/x', 'listed only.txt', 'page.html', 'empty', 'a"b\u2028c.txt'];

/** What came over the wire, without what differs from answer to answer. */
async function asked(line: string, headers: readonly string[], body = ''): Promise<string> {
  const socket = connect(Number(new URL(app.origin).port), '127.0.0.1');
  const length = body === '' ? [] : [`content-length: ${body.length}`];
  const { host } = new URL(app.origin);
  socket.write(
    [`${line} HTTP/1.1`, `host: ${host}`, 'connection: close', ...headers, ...length, '', body].join('\r\n'),
  );
  return (await text(socket))
    .replace(/(?<=^X-Request-Id: |"request_id":")[\w-]{36}/gm, 'id')
    .replace(/(?<=^(?:Date|last-modified): |"last_modified":")[^\r"]+/gm, 'a time')
    .replace(/(?<="next_cursor":")[\w-]+/, 'sealed');
}

const METHODS = ['GET', 'HEAD'];
const HEADERS: readonly (readonly string[])[] = [
  [],
  ['range: bytes=2-4'],
  ['range: bytes=90-99'],
  ['range: bytes=-0'],
  ['range: lines=1-2', 'if-none-match: "other"'],
  ['if-none-match: "9a0364b9e99bb480dd25e1f0284c8555"'],
  ['if-match: "other"'],
  ['if-modified-since: Fri, 01 Jan 2100 00:00:00 GMT'],
  ['accept-encoding: br, gzip'],
  ['accept: text/html'],
  ['origin: https://elsewhere.example'],
  ['sec-fetch-dest: script'],
  ['sec-fetch-site: cross-site'],
];
const TARGETS = [
  ...KEYS.map(objectAt),
  objectAt('missing'),
  objectAt('../up'),
  `${objectAt('a.txt')}&download=1`,
  `${objectAt('a.txt')}&key=b`,
  `${objectAt('a.txt')}&unknown=1`,
  `${FILES}/object`,
  `${FILES}/object?key=%FF`,
  `${FILES}/objects`,
  `${FILES}/objects?delimiter=%2F&limit=2`,
  `${FILES}/objects?limit=0`,
  `${FILES}/objects?cursor=made-up`,
  '/api/providers/main/buckets/fi%6Ces/objects',
  '/api/providers/ma%2Fin/buckets/files/objects',
  '/api/providers/main/buckets/%FF/objects',
  '/api/providers/main/buckets//objects',
  '/api/providers/other/buckets/files/objects',
  '/api/providers/main/buckets/Files!/objects',
  '/api/providers/main/buckets/files/objects/',
  '//api/providers/main/buckets/files/objects',
  '/API/providers/main/buckets/files/objects',
  '/api/providers/main/buckets\\files/objects',
  '/api/providers/main/buckets/fi\\les/objects',
  `${objectAt('a.txt')}\\b`,
  `/v1/transfers/${'t'.repeat(43)}`,
  '/v1/transfers/short',
  '/v1/transfers/',
];

/** Express answers an absolute target, and means the same by it. */
async function bothWays(method: string, target: string, headers: readonly string[], body?: string): Promise<string[]> {
  return [
    await asked(`${method} ${target}`, headers, body),
    await asked(`${method} ${app.origin}${target}`, headers, body),
  ];
}

describe('a hot row', () => {
  it('answers each of many requests byte for byte as Express does', async () => {
    let compared = 0;
    const seen = new Set<string>();
    const compare = async (method: string, target: string, headers: readonly string[], body?: string) => {
      const [hot, express] = await bothWays(method, target, headers, body);
      if (hot !== express)
        throw new Error(`${method} ${target} ${headers.join('; ')}: ${hot}\nbut Express: ${express}`);
      seen.add(hot!.slice(9, 12));
      compared += 1;
    };
    for (const method of METHODS)
      for (const target of TARGETS)
        for (const who of ['ada', 'dan', 'nobody']) await compare(method, target, [cookies[who]!]);
    for (const headers of HEADERS)
      for (const method of METHODS)
        for (const target of [objectAt('a.txt'), objectAt('page.html'), `${FILES}/objects`])
          await compare(method, target, [cookies['vic']!, ...headers]);
    for (const method of ['PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'])
      for (const target of [objectAt('put.txt'), `${FILES}/objects`, `${FILES}/uploads/u/parts/1?key=a`])
        for (const headers of [[], [cookies['vic']!], [cookies['ada']!, 'content-md5: AAAAAAAAAAAAAAAAAAAAAA==']])
          await compare(method, target, headers, 'x');
    expect(compared).toBeGreaterThan(300);
    expect([...seen].sort()).toEqual(
      expect.arrayContaining(['200', '206', '304', '400', '401', '403', '404', '405', '412', '416']),
    );
  });

  it('is counted in the metrics in both ways', async () => {
    const counted = async () => {
      const metrics = (await rawRequest(`http://127.0.0.1:${app.service.metricsPort}`, '/metrics')).text();
      const [, count] = /\{method="GET",route="[^"]+\/object",status="200"\} (\d+)/.exec(metrics) ?? [];
      return Number(count ?? 0);
    };
    const before = await counted();
    await bothWays('GET', objectAt('a.txt'), [cookies['vic']!]);
    expect(await counted()).toBe(before + 2);
  });
});
