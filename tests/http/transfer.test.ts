import { createHash } from 'node:crypto';
import http from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest, type RawRequest } from '../support/raw-request.ts';
import { openUploads } from '../support/s3rver-gaps.ts';
import { unzip } from '../support/unzip.ts';

// Express answers absolute targets, and means the same by them. Other requests of these rows do not reach it.
describe.each([
  ['asked before Express', (path: string, _origin: string) => path],
  ['asked in Express', (path: string, origin: string) => origin + path],
])('%s', (_way, targetIn) => {
  const targetOf = (path: string) => targetIn(path, app.origin);
  let app: TestApp;
  const cookies = new Map<string, string>();
  const atStorage: IncomingHttpHeaders[] = [];
  beforeAll(async () => {
    app = await startApp();
    app.s3.server.httpServer.on('request', (req: IncomingMessage) => atStorage.push(req.headers));
    for (const account of ['ada', 'eve', 'vic', 'dan', 'nobody'])
      cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
  });
  afterAll(() => app.close());

  const FILES = '/api/providers/main/buckets/files';
  const ask = (account: string, method: string, path: string, { headers, body }: RawRequest = {}) =>
    rawRequest(app.origin, targetOf(path), {
      method,
      headers: { cookie: `svc_session=${cookies.get(account)!}`, ...headers },
      ...(body !== undefined && { body }),
    });
  const post = (account: string, path: string, body: unknown) =>
    ask(account, 'POST', FILES + path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const object = (key: string) => `${FILES}/object?key=${encodeURIComponent(key)}`;
  const put = async (
    key: string,
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'text/plain' },
  ) => expect((await ask('ada', 'PUT', object(key), { headers, body })).status).toBe(200);
  const codeIn = (answer: { json(): unknown }) => (answer.json() as { code?: string }).code;

  describe('GET and HEAD …/object', () => {
    beforeAll(() => put('ten.txt', '0123456789'));
    const get = (headers = {}, method = 'GET') => ask('vic', method, object('ten.txt'), { headers });

    it('give the object with its headers', async () => {
      const { status, headers, body } = await get();
      expect([status, body.toString()]).toEqual([200, '0123456789']);
      expect(headers).toMatchObject({
        'content-type': 'text/plain',
        'content-length': '10',
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'content-disposition': 'inline; filename=ten.txt',
      });
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'.*; sandbox$/);
      expect([headers.etag, headers['last-modified']]).toEqual([
        expect.stringMatching(/^"[0-9a-f]{32}"$/),
        expect.stringMatching(/GMT$/),
      ]);
      expect(Object.keys(headers).filter((name) => name.startsWith('x-amz'))).toEqual([]);
      const head = await get({}, 'HEAD');
      expect([head.status, head.body.length, head.headers['content-length'], head.headers.etag]).toEqual([
        200,
        0,
        '10',
        headers.etag,
      ]);
    });

    it('answer 206 to a range, 416 to one outside, 200 to one that is not understood', async () => {
      for (const [range, text, contentRange] of [
        ['bytes=2-4', '234', 'bytes 2-4/10'],
        ['bytes=7-', '789', 'bytes 7-9/10'],
        ['bytes=5-99', '56789', 'bytes 5-9/10'],
      ] as const) {
        const part = await get({ range });
        expect([
          range,
          part.status,
          part.text(),
          part.headers['content-range'],
          part.headers['content-length'],
        ]).toEqual([range, 206, text, contentRange, String(text.length)]);
      }
      const outside = await get({ range: 'bytes=10-' });
      expect([outside.status, codeIn(outside), outside.headers['content-type']]).toEqual([
        416,
        'range_not_satisfiable',
        'application/problem+json; charset=utf-8',
      ]);
      for (const range of ['bytes=4-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=x', ''])
        expect([range, (await get({ range })).text()]).toEqual([range, '0123456789']);
    });

    it('ignore a range on HEAD, even one outside', async () => {
      for (const range of ['bytes=2-4', 'bytes=10-']) {
        const { status, headers } = await get({ range }, 'HEAD');
        expect([range, status, headers['content-length'], headers['content-range']]).toEqual([
          range,
          200,
          '10',
          undefined,
        ]);
      }
    });

    it('answer 304 to a reader who has it', async () => {
      const { etag = '', 'last-modified': time = '' } = (await get()).headers;
      for (const headers of [{ 'if-none-match': etag }, { 'if-modified-since': time }]) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await get(headers, method);
          expect([headers, method, answer.status, answer.body.length]).toEqual([headers, method, 304, 0]);
          // What a cache would put in the place of what it knows from the 200.
          expect(
            Object.keys(answer.headers).filter(
              (name) => name.startsWith('content-') && name !== 'content-security-policy',
            ),
          ).toEqual([]);
          expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-cache' });
        }
      }
      expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
      expect((await get({ 'if-modified-since': 'no date' })).status).toBe(200);
    });

    it('answer 412 when it is not the object that the client requires', async () => {
      const { etag = '', 'last-modified': time = '' } = (await get()).headers;
      const [before, after] = [-1, 1].map((days) => new Date(Date.parse(time) + days * 86_400_000).toUTCString()) as [
        string,
        string,
      ];
      for (const method of ['GET', 'HEAD']) {
        for (const headers of [
          { 'if-match': '"other"' },
          { 'if-match': `W/${etag}` },
          { 'if-match': '"other"', 'if-none-match': etag },
          { 'if-match': '"other"', range: 'bytes=0-1' },
          { 'if-match': '"other"', range: 'bytes=10-' },
          { 'if-unmodified-since': before },
          { 'if-unmodified-since': before, range: 'bytes=10-' },
        ]) {
          const answer = await get(headers, method);
          expect([method, headers, answer.status]).toEqual([method, headers, 412]);
          if (method === 'GET') expect(codeIn(answer)).toBe('precondition_failed');
        }
        for (const headers of [
          { 'if-match': etag },
          { 'if-match': `"a, b", ${etag}` },
          { 'if-match': '*' },
          { 'if-match': etag, 'if-unmodified-since': before },
          { 'if-unmodified-since': after },
          { 'if-unmodified-since': time },
          { 'if-unmodified-since': 'no date' },
        ]) {
          expect([method, headers, (await get(headers, method)).status]).toEqual([method, headers, 200]);
        }
      }
      expect((await get({ 'if-match': etag, range: 'bytes=0-1' })).text()).toBe('01');
      expect((await get({ 'if-match': etag, range: 'bytes=10-' })).status).toBe(416);
    });

    it('make an attachment of it when asked, and of what a browser would run always', async () => {
      const disposition = async (key: string, query = '') =>
        (await ask('vic', 'GET', object(key) + query)).headers['content-disposition']!;
      expect(await disposition('ten.txt', '&download=1')).toMatch(/^attachment; filename=ten.txt$/);
      for (const [i, type] of [
        'text/html',
        'TEXT/HTML; charset=utf-8',
        'image/png, text/html',
        ' text/html',
        'image/svg+xml',
        'application/xhtml+xml',
        'text/xml',
        'application/xml',
        'application/rss+xml',
        'text/html;x',
        'multipart/related; type=text/html',
      ].entries()) {
        await put(`active-${i}`, '<script>alert(1)</script>', { 'content-type': type });
        const answer = await ask('vic', 'GET', object(`active-${i}`));
        if (i < 9)
          expect([type, answer.headers['content-disposition']]).toEqual([type, expect.stringMatching(/^attachment;/)]);
        expect([type, answer.headers['x-content-type-options'], answer.headers['content-security-policy']]).toEqual([
          type,
          'nosniff',
          expect.stringContaining('sandbox'),
        ]);
      }
    });

    it('keep the stored type as it is, however odd', async () => {
      for (const type of ['text/plain; charset=iso-8859-1', 'text/csv', 'application/json', 'odd', 'x-world/x-3dmf']) {
        await put('typed', 'x', { 'content-type': type });
        expect([type, (await ask('vic', 'GET', object('typed'))).headers['content-type']]).toEqual([type, type]);
      }
      expect(
        (await ask('ada', 'PUT', object('typed'), { headers: { 'content-type': 'x'.repeat(300) }, body: 'x' })).status,
      ).toBe(400);
    });

    it('name the file safely, whatever the key', async () => {
      await put('dir/ein "schöner"\r\nName: x; 100%.txt', 'x');
      const { headers } = await ask('vic', 'GET', object('dir/ein "schöner"\r\nName: x; 100%.txt'));
      expect(headers['content-disposition']).toBe(
        `inline; filename="ein \\"sch?ner\\"??Name: x; 100%.txt"; filename*=UTF-8''ein%20%22sch%C3%B6ner%22%0D%0AName%3A%20x%3B%20100%25.txt`,
      );
    });
  });

  describe('PUT …/object', () => {
    it('answers the etag, and 412 with If-None-Match: * when there is one already', async () => {
      const made = await ask('eve', 'PUT', object('once.txt'), { headers: { 'if-none-match': '*' }, body: 'first' });
      expect([made.status, made.json()]).toEqual([200, { key: 'once.txt', etag: expect.stringMatching(/^"\w+"$/) }]);
      const again = await ask('eve', 'PUT', object('once.txt'), { headers: { 'if-none-match': '*' }, body: 'second' });
      expect([again.status, codeIn(again)]).toEqual([412, 'precondition_failed']);
      expect((await ask('eve', 'GET', object('once.txt'))).text()).toBe('first');
      expect(
        (await ask('eve', 'PUT', object('once.txt'), { headers: { 'if-none-match': '"x"' }, body: 'third' })).status,
      ).toBe(400);
    });

    it('refuses a condition that it does not know, and changes nothing', async () => {
      await put('kept.txt', 'kept');
      const unmodified = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
      const written = await ask('eve', 'PUT', object('kept.txt'), { headers: unmodified, body: 'lost' });
      expect([written.status, codeIn(written)]).toEqual([400, 'invalid_request']);
      for (const headers of [{ 'if-match': '"x"' }, { 'if-match': '*' }, unmodified]) {
        const deleted = await ask('eve', 'DELETE', object('kept.txt'), { headers });
        const moved = await ask('eve', 'POST', `${FILES}/objects/copy`, {
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ key: 'kept.txt', to: { key: 'moved.txt' }, move: true }),
        });
        expect([deleted, moved].map((answer) => [answer.status, codeIn(answer)])).toEqual(
          Array(2).fill([400, 'invalid_request']),
        );
        expect(deleted.json()).toMatchObject({
          errors: [
            {
              path: `header.${Object.keys(headers)[0]}`,
              message: 'is not supported on a request that changes something',
            },
          ],
        });
      }
      expect((await ask('eve', 'DELETE', object('kept.txt'), { headers: { 'if-none-match': '"x"' } })).status).toBe(
        400,
      );
      expect((await ask('eve', 'GET', object('kept.txt'))).text()).toBe('kept');
    });

    it('with If-Match replaces only the version that was read', async () => {
      await put('draft.txt', 'first');
      const write = (etag: string, body: string) =>
        ask('eve', 'PUT', object('draft.txt'), { headers: { 'if-match': etag }, body });
      const { etag } = (await ask('eve', 'GET', object('draft.txt'))).headers;
      expect((await write(etag!, 'second')).status).toBe(200);
      const late = await write(etag!, 'lost');
      expect([late.status, codeIn(late)]).toEqual([412, 'precondition_failed']);
      expect((await ask('eve', 'GET', object('draft.txt'))).text()).toBe('second');
      const gone = await ask('eve', 'PUT', object('none.txt'), { headers: { 'if-match': '*' }, body: 'x' });
      expect([gone.status, codeIn(gone)]).toEqual([404, 'not_found']);
    });

    it('with `keep` replaces only the content, and asks whether it may be read too', async () => {
      await put('note.md', 'first', { 'content-type': 'text/x-note' });
      await put('listed only.txt', 'first');
      const { etag } = (await ask('eve', 'GET', object('note.md'))).headers;
      const write = (account: string, key: string, headers: Record<string, string> = { 'if-match': etag! }) =>
        ask(account, 'PUT', `${object(key)}&keep=1`, {
          headers: { ...headers, 'content-type': 'text/plain' },
          body: 'second',
        });
      const bare = await write('eve', 'note.md', {});
      expect([bare.status, bare.json()]).toEqual([
        400,
        expect.objectContaining({
          errors: [{ path: 'ifMatch', message: 'is required with `keep`' }],
        }),
      ]);
      expect((await write('eve', 'note.md')).status).toBe(200);
      const now = await ask('eve', 'GET', object('note.md'));
      expect([now.text(), now.headers['content-type']]).toEqual(['second', 'text/x-note']);
      expect((await write('eve', 'note.md')).status).toBe(412);
      const unread = await write('dan', 'listed only.txt', { 'if-match': '*' });
      expect([unread.status, unread.json()]).toEqual([403, expect.objectContaining({ action: 'objects:get' })]);
      expect((await ask('ada', 'GET', object('listed only.txt'))).text()).toBe('first');
    });

    it('refuses a body that has another MD5 than `Content-MD5` says, and stores nothing of it', async () => {
      await put('summed.txt', 'kept');
      const md5 = (body: string | Buffer) => createHash('md5').update(body).digest('base64');
      const large = Buffer.alloc(9 * 2 ** 20, 'svc');
      for (const body of ['new', large, '']) {
        for (const length of [{}, { 'transfer-encoding': 'chunked', 'content-length': [] }]) {
          const wrong = await ask('eve', 'PUT', object('summed.txt'), {
            headers: { 'content-md5': md5('other'), ...length },
            body,
          });
          expect([body.length, length, wrong.status, codeIn(wrong)]).toEqual([
            body.length,
            length,
            400,
            'invalid_request',
          ]);
          expect(wrong.json()).toMatchObject({
            detail: 'the MD5 of the body does not match `Content-MD5`; send it again',
          });
          expect((await ask('eve', 'GET', object('summed.txt'))).text()).toBe('kept');
          const right = await ask('eve', 'PUT', object('summed-too.txt'), {
            headers: { 'content-md5': md5(body), ...length },
            body,
          });
          expect([body.length, length, right.status]).toEqual([body.length, length, 200]);
          expect((await ask('eve', 'GET', object('summed-too.txt'))).body.length).toBe(body.length);
        }
      }
      for (const noMd5 of ['x', md5('new').slice(1), `${md5('new')}, ${md5('new')}`])
        expect(
          (await ask('eve', 'PUT', object('summed.txt'), { headers: { 'content-md5': noMd5 }, body: 'new' })).json(),
        ).toMatchObject({ code: 'invalid_request', errors: [{ path: 'header.content-md5' }] });
      const { id } = (await post('eve', '/uploads', { key: 'summed.txt' })).json() as { id: string };
      const part = (sum: string) =>
        ask('eve', 'PUT', `${FILES}/uploads/${encodeURIComponent(id)}/parts/1?key=summed.txt`, {
          headers: { 'content-md5': sum },
          body: 'part',
        });
      expect([(await part(md5('other'))).status, (await part(md5('part'))).status]).toEqual([400, 200]);
      expect((await ask('eve', 'DELETE', `${FILES}/uploads/${encodeURIComponent(id)}?key=summed.txt`)).status).toBe(
        204,
      );
      expect(await openUploads(app.s3.server.store, 'files')).toEqual([]);
    });

    it('lets no header of the client reach storage', async () => {
      await put('secret/source.txt', 'secret');
      atStorage.length = 0;
      const headers = {
        'x-amz-copy-source': '/files/secret/source.txt',
        'x-amz-acl': 'public-read',
        'x-amz-meta-evil': 'x',
        'x-amz-website-redirect-location': 'https://evil.example',
        'x-amz-storage-class': 'GLACIER',
        'x-amz-security-token': 'canary',
        authorization: 'Basic canary',
        'x-evil': 'canary',
      };
      await ask('dan', 'PUT', object('target.txt'), { headers, body: 'mine' });
      await ask('dan', 'GET', object('target.txt'), {
        headers: {
          'x-amz-meta-evil': 'x',
          'if-match': '"canary"',
          'x-amz-server-side-encryption-customer-key': 'canary',
        },
      });
      expect(atStorage.length).toBeGreaterThan(1);
      const forwarded = atStorage
        .flatMap((sent) => Object.entries(sent))
        .filter(
          ([name, value]) =>
            /acl|meta|copy|redirect|storage-class|cookie|customer|evil|if-match/.test(name) ||
            String(value).includes('canary'),
        );
      expect(forwarded).toEqual([]);
      expect((await ask('dan', 'GET', object('target.txt'))).text()).toBe('mine');
    });

    it('of a client that goes away leaves no object and no upload', async () => {
      for (const bytes of [1_000, 12 * 2 ** 20]) {
        await new Promise<void>((resolve) => {
          const { hostname, port } = new URL(app.origin);
          const req = http.request({
            hostname,
            port,
            method: 'PUT',
            path: object('cut off'),
            headers: { cookie: `svc_session=${cookies.get('eve')!}`, 'content-length': String(bytes * 2) },
          });
          req.on('error', () => resolve());
          req.write(Buffer.alloc(bytes), () => setTimeout(() => req.destroy(), 150));
          req.on('close', () => resolve());
        });
      }
      await expect(
        eventually(async () => (await openUploads(app.s3.server.store, 'files')).length === 0),
      ).resolves.toBe(true);
      expect((await ask('ada', 'HEAD', object('cut off'))).status).toBe(404);
      expect(app.logged()).not.toMatch(/"level":"error"/);
    });
  });

  type SentPart = { readonly number: number; readonly etag: string };

  /** The request that joins these parts. */
  function joining(parts: readonly SentPart[], headers: Record<string, string> = {}) {
    return {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ parts: parts.map(({ number, etag }) => ({ number, etag })) }),
    };
  }

  describe('uploads in parts', () => {
    it('are not joined over an object that is there, when asked not to', async () => {
      const place = `${FILES}/uploads`;
      expect((await ask('eve', 'PUT', `${FILES}/object?key=taken`, { body: 'first' })).status).toBe(200);
      const { id } = (await post('eve', '/uploads', { key: 'taken' })).json() as { id: string };
      const sent = (
        await ask('eve', 'PUT', `${place}/${encodeURIComponent(id)}/parts/1?key=taken`, { body: 'second' })
      ).json() as SentPart;
      const complete = (headers: Record<string, string>) =>
        ask('eve', 'POST', `${place}/${encodeURIComponent(id)}/complete?key=taken`, joining([sent], headers));
      expect((await complete({ 'if-none-match': '*' })).json()).toMatchObject({
        status: 412,
        code: 'precondition_failed',
      });
      expect((await ask('eve', 'GET', `${FILES}/object?key=taken`)).text()).toBe('first');
      expect((await complete({})).status).toBe(200);
    });

    it('begin, list, go on and join', async () => {
      const begun = await post('eve', '/uploads', { key: 'big file.bin', content_type: 'application/x-big' });
      const { id, key } = begun.json() as { id: string; key: string };
      expect([begun.status, key]).toEqual([201, 'big file.bin']);
      const at = (path: string) => `${FILES}/uploads/${encodeURIComponent(id)}${path}?key=${encodeURIComponent(key)}`;
      const first = Buffer.alloc(5 * 2 ** 20, 'a');
      expect((await ask('eve', 'PUT', at('/parts/2'), { body: 'tail' })).json()).toMatchObject({ number: 2, size: 4 });
      expect(((await ask('eve', 'GET', at(''))).json() as { parts: unknown[] }).parts).toHaveLength(1);
      expect((await ask('eve', 'PUT', at('/parts/1'), { body: first })).status).toBe(200);
      for (const n of ['0', '10001', 'x', '1.5', '-1'])
        expect([n, (await ask('eve', 'PUT', at(`/parts/${n}`), { body: 'x' })).status]).toEqual([n, 400]);
      expect(
        (await ask('eve', 'PUT', at('/parts/3'), { headers: { 'transfer-encoding': 'chunked', 'content-length': [] } }))
          .status,
      ).toBe(400);
      const { parts } = (await ask('eve', 'GET', at(''))).json() as { parts: SentPart[] };
      const gap = await ask('eve', 'POST', at('/complete'), joining([parts[0]!, { number: 3, etag: parts[1]!.etag }]));
      expect([gap.status, gap.json()]).toEqual([
        409,
        expect.objectContaining({ code: 'conflict', parts: [3], detail: expect.stringContaining(': 3;') }),
      ]);
      for (const body of [{}, { parts: [] }, { parts: [{ number: 1 }] }, { parts: [{ number: 0, etag: 'x' }] }]) {
        expect(
          (
            await ask('eve', 'POST', at('/complete'), {
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(body),
            })
          ).status,
        ).toBe(400);
      }
      const done = await ask('eve', 'POST', at('/complete'), joining(parts));
      expect([done.status, done.json()]).toEqual([
        200,
        { key, etag: expect.stringMatching(/^"\w+(?:-2)?"$/), size: first.length + 4 },
      ]);
      const read = await ask('vic', 'GET', object(key), { headers: { range: `bytes=${5 * 2 ** 20 - 2}-` } });
      expect([read.text(), read.headers['content-type']]).toEqual(['aatail', 'application/x-big']);
    });

    it('count for their key alone, and 404 when they are gone', async () => {
      const { id } = (await post('dan', '/uploads', { key: 'mine' })).json() as { id: string };
      const at = (key: string, path = '') =>
        `${FILES}/uploads/${encodeURIComponent(id)}${path}?key=${encodeURIComponent(key)}`;
      expect((await ask('dan', 'PUT', at('secret/x', '/parts/1'), { body: 'x' })).status).toBe(403);
      expect((await ask('dan', 'PUT', at('another', '/parts/1'), { body: 'x' })).status).toBe(404);
      expect((await ask('dan', 'DELETE', at('mine'))).status).toBe(204);
      expect([
        (await ask('dan', 'GET', at('mine'))).status,
        (await ask('dan', 'POST', at('mine', '/complete'), joining([{ number: 1, etag: '"x"' }]))).status,
      ]).toEqual([404, 404]);
    });
  });

  describe('POST …/archive', () => {
    it('zips what may be read, and names nothing outside of it', async () => {
      for (const key of ['zip/a.txt', 'zip/ü b.txt', 'zip/sub/c.txt', 'secret/d.txt', 'listed only.txt'])
        await put(key, key);
      const names = async (account: string, body: object) =>
        unzip((await post(account, '/archive', body)).body)
          .map(({ name }) => name)
          .sort();
      expect(await names('vic', { prefixes: ['zip/'] })).toEqual(
        ['a.txt', 'sub/c.txt', 'ü b.txt'].map((name) => expect.stringContaining(name)),
      );
      expect((await names('dan', { prefixes: [''] })).filter((name) => /secret|listed only/.test(name))).toEqual([]);
      const answer = await post('vic', '/archive', { keys: ['zip/a.txt'], name: 'bündel "x".zip' });
      expect([answer.status, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
        200,
        'application/zip',
        expect.stringContaining("filename*=UTF-8''b%C3%BCndel%20%22x%22.zip"),
      ]);
      expect((await post('vic', '/archive', {})).status).toBe(400);
    });

    it('leaves out what may not be read when that is asked for, and names of it only what may be listed', async () => {
      for (const key of ['open/zipped.txt', 'secret/d.txt', 'listed only.txt']) await put(key, key);
      const keys = ['open/zipped.txt', 'secret/d.txt', 'listed only.txt'];
      expect((await post('dan', '/archive', { keys })).status).toBe(403);
      const answer = await post('dan', '/archive', { keys, skip_denied: true });
      const packed = Object.fromEntries(unzip(answer.body).map(({ name, content }) => [name, content]));
      expect(Object.keys(packed)).toEqual(['open/zipped.txt', 'NOT-INCLUDED.txt']);
      expect(packed['NOT-INCLUDED.txt']!.split('\n').slice(2)).toEqual(['listed only.txt', '']);
      const line = app
        .logged()
        .split('\n')
        .find((each) => each.includes(answer.headers['x-request-id'] as string));
      expect(JSON.parse(line!)).toMatchObject({
        operation: 'object/archive',
        outcome: 'partly',
        resources: [{ outcome: 'done' }, { outcome: 'denied' }, { outcome: 'denied' }],
      });
    });
  });

  async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
    for (let i = 0; i < 50; i += 1) {
      if (await holds()) return true;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return false;
  }
});
