import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startApp, type TestApp } from '../../support/app.ts';
import { rawRequest, type RawAnswer, type RawRequest } from '../../support/raw-request.ts';

const FILES = 200;
const BUCKET = '/api/providers/main/buckets/files';
const LISTING = `${BUCKET}/objects?limit=1000`;

let app: TestApp;
let cookie: string;
let webDirectory: string;

beforeAll(async () => {
  webDirectory = await mkdtemp(join(tmpdir(), 'svc-compressed-'));
  await mkdir(join(webDirectory, 'assets'));
  await writeFile(join(webDirectory, 'assets/page.js'), 'page()');
  await writeFile(join(webDirectory, 'assets/page.js.br'), brotliCompressSync('page()'));
  app = await startApp({ webDirectory });
  cookie = `svc_session=${(await app.signIn('ada')).cookie(app.origin, 'svc_session')!}`;
  const names = Array.from({ length: FILES }, (_, index) => `report ${index}.pdf`);
  await Promise.all(
    names.map((name) =>
      ask(`${BUCKET}/object?key=${encodeURIComponent(name)}`, { origin: app.origin }, { method: 'PUT', body: 'x' }),
    ),
  );
});

afterAll(async () => {
  await app.close();
  await rm(webDirectory, { recursive: true });
});

const ask = (path: string, headers: Record<string, string> = {}, rest: RawRequest = {}): Promise<RawAnswer> =>
  rawRequest(app.origin, path, { ...rest, headers: { cookie, 'accept-encoding': 'gzip, br', ...headers } });

describe('JSON', () => {
  it('is compressed as the client likes, and says the same', async () => {
    const plain = await ask(LISTING, { 'accept-encoding': 'identity' });
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
    expect((JSON.parse(plain.text()) as { objects: unknown[] }).objects).toHaveLength(FILES);
    const [brotli, gzip] = [await ask(LISTING), await ask(LISTING, { 'accept-encoding': 'gzip' })];
    expect([brotli.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length).toBeLessThan(plain.body.length / 5);
    expect(Number(brotli.headers['content-length'])).toBe(brotli.body.length);
  });

  it('is not compressed when another site made the browser ask, because its size would tell what it holds', async () => {
    for (const site of ['cross-site', 'same-site'])
      expect((await ask(LISTING, { 'sec-fetch-site': site })).headers['content-encoding']).toBeUndefined();
    for (const site of ['same-origin', 'none'])
      expect((await ask(LISTING, { 'sec-fetch-site': site })).headers['content-encoding']).toBe('br');
  });

  it('is compressed where a POST only reads, and never where an answer hands out a credential', async () => {
    const post = (path: string, body: unknown) =>
      ask(
        path,
        { 'content-type': 'application/json', origin: app.origin },
        { method: 'POST', body: JSON.stringify(body) },
      );
    const permissions = await post(`${BUCKET}/permissions`, {
      keys: Array.from({ length: 100 }, (_, index) => `report ${index}.pdf`),
    });
    expect([permissions.status, permissions.headers['content-encoding']]).toEqual([200, 'br']);
    const link = await post(`${BUCKET}/object/presign`, {
      key: `${'long/'.repeat(180)}a.txt`,
      method: 'GET',
      expires_in: 60,
    });
    expect([link.status, link.headers['content-encoding'], link.body.length > 1_024]).toEqual([200, undefined, true]);
  });

  it('is left as it is where it is short', async () => {
    expect((await ask('/api/health')).headers['content-encoding']).toBeUndefined();
  });
});

describe('a file of the web UI', () => {
  it('is sent as the build compressed it, with its own type, and may be kept for ever', async () => {
    const answer = await ask('/assets/page.js');
    expect([
      answer.headers['content-encoding'],
      answer.headers['content-type'],
      answer.headers['cache-control'],
    ]).toEqual(['br', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable']);
    expect(brotliDecompressSync(answer.body).toString()).toBe('page()');
    expect((await ask('/assets/page.js', { 'accept-encoding': 'identity' })).text()).toBe('page()');
  });

  it('has its type however its name is written, because a cache may tidy the address and keep the answer for ever', async () => {
    const answer = await ask('/assets/page%2Ejs?v=1');
    expect([answer.status, answer.headers['content-type'], answer.headers['vary']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'Accept-Encoding',
    ]);
    expect((await ask('/assets/page.js?v=1')).headers['content-encoding']).toBe('br');
  });

  it('is not sent in an encoding that the client refuses', async () => {
    for (const refused of ['br;q=0, *', '*;q=0', 'gzip'])
      expect((await ask('/assets/page.js', { 'accept-encoding': refused })).text()).toBe('page()');
  });

  it('is named plainly when it cannot be: a name that is no text, another method, a condition, a file that is gone', async () => {
    await rm(join(webDirectory, 'assets/page.js.br'));
    const answers = [
      await ask('/assets/%ff'),
      await ask('/assets/page.js', { origin: app.origin }, { method: 'POST' }),
      await ask('/assets/page.js', { 'if-match': '"other"' }),
      await ask('/assets/page.js'),
    ];
    expect(
      answers.map(({ headers }) => [headers['content-type'], headers['content-encoding'], headers['cache-control']]),
    ).toEqual(answers.map(() => ['application/problem+json; charset=utf-8', undefined, 'no-store']));
  });
});
