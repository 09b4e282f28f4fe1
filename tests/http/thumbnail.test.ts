import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { filesOf } from '../support/files.ts';
import type { Visitor } from '../support/visitor.ts';
import { photo } from '../thumbnail/pictures.ts';

let app: TestApp;
let ada: Visitor;
let dan: Visitor;
beforeAll(async () => {
  app = await startApp();
  [ada, dan] = [await app.signIn('ada'), await app.signIn('dan')];
  const files = filesOf(app, ada, 'files');
  const picture = new Uint8Array(await photo('jpeg'));
  for (const key of ['open/a.jpg', 'secret/a.jpg']) await files.put(key, picture, 'image/jpeg');
  await files.put(
    'drawing.png',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'image/png',
  );
});
afterAll(() => app.close());

const thumbnail = (who: Visitor, key: string, headers: Record<string, string> = {}, of = app) =>
  who.request(`${of.origin}/api/providers/main/buckets/files/object/thumbnail?key=${encodeURIComponent(key)}`, {
    headers,
  });

describe('GET …/object/thumbnail', () => {
  it('sends a picture that is the service’s own, in a sandbox, and only to those who ask again', async () => {
    const answer = await thumbnail(ada, 'open/a.jpg');
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const etag = answer.headers.get('etag')!;
    expect(Buffer.from(await answer.arrayBuffer()).toString('latin1', 8, 12)).toBe('WEBP');
    expect((await thumbnail(ada, 'open/a.jpg', { 'if-none-match': `"x", W/${etag}` })).status).toBe(304);
    await filesOf(app, ada, 'files').put(
      'open/a.jpg',
      new Uint8Array(await photo('jpeg', { width: 300, height: 300 })),
    );
    expect((await thumbnail(ada, 'open/a.jpg', { 'if-none-match': etag })).status).toBe(200);
  });

  it('asks policy before it looks whether there is one already', async () => {
    expect((await thumbnail(ada, 'secret/a.jpg')).status).toBe(200);
    const etag = (await thumbnail(ada, 'secret/a.jpg')).headers.get('etag')!;
    app.storageCalls.reset();
    for (const headers of [{}, { 'if-none-match': etag }])
      expect((await thumbnail(dan, 'secret/a.jpg', headers)).status).toBe(403);
    expect(app.storageCalls.calls).toEqual([]);
  });

  it('has none of what only says that it is a picture, and none of what is not there', async () => {
    const answer = await thumbnail(ada, 'drawing.png');
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([501, 'not_supported']);
    expect((await thumbnail(ada, 'none.jpg')).status).toBe(404);
  });

  it('can be turned off', async () => {
    const without = await startApp({ config: (config) => ({ ...config, thumbnails: { enabled: false } }) });
    try {
      expect((await thumbnail(await without.signIn('ada'), 'a.jpg', {}, without)).status).toBe(501);
      expect(without.storageCalls.calls).toEqual([]);
    } finally {
      await without.close();
    }
  });
});
