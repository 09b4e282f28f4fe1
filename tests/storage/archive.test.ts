import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AtomicAction } from '../../src/policy/model/action.ts';
import { compileGrants, EVERYTHING } from '../../src/policy/index/grants.ts';
import { SvcError } from '../../src/errors/svc-error.ts';
import { archive, type ArchiveRequest } from '../../src/storage/archive.ts';
import { createBucket } from '../../src/storage/buckets.ts';
import { putObject } from '../../src/storage/object-write.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { Storage } from '../../src/storage/storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { unzip } from '../support/unzip.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

let s3: TestStorage;
let bucket: string;
const put = (key: string, content: string | Buffer) =>
  putObject(withoutPolicy({ provider: s3.provider, bucket, key }), Readable.from([Buffer.from(content)]));
type Request = Partial<Omit<ArchiveRequest, 'permit'>> & { readonly permit?: (key: string) => boolean };
const pack = ({ permit = () => true, ...request }: Request, place = { provider: s3.provider, bucket }) =>
  archive(withoutPolicy(place), {
    keys: [],
    prefixes: [],
    permit: (key) => (permit(key) ? withoutPolicy({ ...place, key }) : undefined),
    grants: EVERYTHING,
    hold: () => Promise.resolve(() => undefined),
    ...request,
  });
const contents = async (request: Request): Promise<Record<string, string>> =>
  Object.fromEntries(unzip(await buffer(await pack(request))).map(({ name, content }) => [name, content]));

/** Waits until it holds, some seconds at most. */
async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 5000; !holds() && Date.now() < deadline;) await sleep(10);
  expect(holds()).toBe(true);
}

beforeAll(async () => {
  s3 = await startStorage();
  bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
  for (const key of [
    'docs/a.txt',
    'docs/sub/b.txt',
    'docs/sub/ü 😀.txt',
    'docs/empty',
    'docs-private/c.txt',
    'top.txt',
  ])
    await put(key, key === 'docs/empty' ? '' : `<${key}>`);
  await put('docs/folder/', '');
});
afterEach(() => void (s3.counter.spoil = undefined));
afterAll(() => s3.close());

describe('archive', () => {
  it('takes memory for the names of deep folders, and ends when it gets none', async () => {
    const deep = [1, 2, 3, 4, 5].map((number) => `deep/${number}${'/a'.repeat(450)}`);
    for (const key of deep) await put(key, 'x');
    const taken: number[] = [];
    const hold = (bytes: number) => {
      taken.push(bytes);
      return Promise.resolve(() => undefined);
    };
    const members = unzip(await buffer(await pack({ prefixes: ['deep/'], hold })));
    expect(members.map(({ name }) => name)).toEqual(deep);
    expect(taken).toEqual([1_048_576]);
    const refuse = () => Promise.reject(new SvcError('rate_limited'));
    await expect(pack({ prefixes: ['deep/'], hold: refuse }).then(buffer)).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  it('packs a folder under its own name', async () => {
    expect(await contents({ prefixes: ['docs/'] })).toEqual({
      'docs/a.txt': '<docs/a.txt>',
      'docs/empty': '',
      'docs/folder/': '',
      'docs/sub/b.txt': '<docs/sub/b.txt>',
      'docs/sub/ü 😀.txt': '<docs/sub/ü 😀.txt>',
    });
  });

  it('packs a selection relative to its folder, each key once', async () => {
    expect(
      Object.keys(
        await contents({ keys: ['docs/a.txt', 'docs/a.txt', 'docs/sub/b.txt'], prefixes: ['docs/sub/', 'docs/sub/ü'] }),
      ),
    ).toEqual(['a.txt', 'sub/b.txt', 'sub/ü 😀.txt']);
  });

  it('leaves out what is not permitted, and does not read it', async () => {
    s3.counter.reset();
    expect(
      Object.keys(
        await contents({
          keys: ['top.txt'],
          prefixes: ['docs'],
          permit: (key) => !key.includes('private') && key !== 'top.txt',
        }),
      ),
    ).not.toContain('docs-private/c.txt');
    expect(s3.counter.calls.filter((call) => /private%2Fc|private\/c|top/.test(call))).toEqual([]);
    const beneath = (actions: AtomicAction[]) =>
      compileGrants([
        {
          name: 'p',
          source: 'config',
          rules: [
            {
              effect: 'allow',
              actions,
              resources: [{ type: 'prefix', provider: 'test', bucket, prefix: 'docs/sub/' }],
            },
          ],
        },
      ]);
    const grants = beneath(['objects:list', 'objects:get']);
    expect(Object.keys(await contents({ prefixes: [''], grants }))).toEqual(['docs/sub/b.txt', 'docs/sub/ü 😀.txt']);
  });

  it('names nothing beneath a prefix that may not be listed, though its content may be read', async () => {
    const grants = compileGrants([
      {
        name: 'p',
        source: 'config',
        rules: [
          { effect: 'allow', actions: ['objects:get'], resources: [{ type: 'bucket', provider: 'test', bucket }] },
        ],
      },
    ]);
    expect(Object.keys(await contents({ keys: ['top.txt'], prefixes: [''], grants }))).toEqual(['top.txt']);
  });

  it('is an empty archive when nothing is permitted', async () => {
    expect(await contents({ keys: ['top.txt'], permit: () => false, grants: compileGrants([]) })).toEqual({});
  });

  it('names what may be listed and not read, in a file of its own, for a selection and for a folder alike', async () => {
    const permit = (key: string) => key !== 'docs/sub/b.txt';
    const said = 'These files are not in this archive, because you may not download them:\n\n';
    expect((await contents({ keys: ['docs/a.txt', 'docs/sub/b.txt'], permit }))['NOT-INCLUDED.txt']).toBe(
      `${said}sub/b.txt\n`,
    );
    expect((await contents({ prefixes: ['docs/'], permit }))['NOT-INCLUDED.txt']).toBe(`${said}docs/sub/b.txt\n`);
    expect((await contents({ keys: ['docs/sub/b.txt'], prefixes: ['docs/sub/'], permit }))['NOT-INCLUDED.txt']).toBe(
      `${said}sub/b.txt\n`,
    );
    expect(Object.keys(await contents({ prefixes: ['docs/'] }))).not.toContain('NOT-INCLUDED.txt');
  });

  it('never names there what may not be listed', async () => {
    const only = (type: 'prefix', prefix: string) => ({
      effect: 'allow' as const,
      actions: ['objects:list'] as const,
      resources: [{ type, provider: 'test', bucket, prefix }],
    });
    const grants = compileGrants([{ name: 'p', source: 'config', rules: [only('prefix', 'docs/sub/')] }]);
    const { 'NOT-INCLUDED.txt': named, ...others } = await contents({
      keys: ['top.txt'],
      prefixes: ['docs'],
      permit: () => false,
      grants,
    });
    expect([named!.split('\n').slice(2), others]).toEqual([['docs/sub/b.txt', 'docs/sub/ü 😀.txt', ''], {}]);
  });

  it('names it on one line whatever the key holds, and beside a file of that name', async () => {
    await put('named/NOT-INCLUDED.txt', 'mine');
    await put('named/two\nlines\u202Etxt.exe', 'x');
    const packed = await contents({ prefixes: ['named/'], permit: (key) => !key.includes('two') });
    expect(packed['named/NOT-INCLUDED.txt']).toBe('mine');
    expect(packed['NOT-INCLUDED.txt']!.split('\n').slice(2)).toEqual(['named/two_lines_txt.exe', '']);
    const selected = await contents({
      keys: ['named/NOT-INCLUDED.txt', 'named/two\nlines\u202Etxt.exe'],
      permit: (key) => !key.includes('two'),
    });
    expect(selected['NOT-INCLUDED.txt']).toBe('mine');
    expect(selected['NOT-INCLUDED (2).txt']).toContain('two_lines_txt.exe');
  });

  it('answers before the first byte when a named key is missing, or the bucket', async () => {
    await expect(pack({ keys: ['missing'] })).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      pack({ prefixes: [''] }, { provider: s3.provider, bucket: 'svc-no-such-bucket' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('breaks off, rather than ending well, when storage fails on the way', async () => {
    s3.counter.spoil = (call) => (call.includes('/docs/sub/b.txt') ? 'busy' : undefined);
    await expect(buffer(await pack({ prefixes: ['docs/'] }))).rejects.toMatchObject({ code: 'storage_unavailable' });
    s3.counter.spoil = undefined;
    await expect(buffer(await pack({ keys: ['top.txt', 'missing'] }))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('packs what storage sends without a length', async () => {
    const server = http.createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/plain', etag: '"e"' });
      res.write('no ');
      res.end('length');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Storage([{ ...s3.options, endpoint }]).providers.provider(s3.options.name);
    const stream = await pack({ keys: ['a.txt', 'b.txt'] }, { provider, bucket });
    expect(unzip(await buffer(stream))).toMatchObject([
      { name: 'a.txt', content: 'no length' },
      { name: 'b.txt', content: 'no length' },
    ]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('passes over what was deleted since it was listed', async () => {
    await put('vanish/1', '1');
    await put('vanish/2', '2');
    s3.counter.spoil = (call) => (call.includes('/vanish/1') ? 'gone' : undefined);
    expect(Object.keys(await contents({ keys: ['top.txt'], prefixes: ['vanish/'] }))).toEqual(['top.txt', 'vanish/2']);
  });

  describe('of small objects', () => {
    const KEYS = Array.from({ length: 60 }, (_, i) => `small/${String(i).padStart(2, '0')}`);
    let listedSize = 1024;
    let answer: (key: string, res: http.ServerResponse) => void;
    let provider: StorageProvider;
    const asked: string[] = [];
    const server = http.createServer((req, res) => {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://storage');
      const contents = KEYS.map((key) => `<Contents><Key>${key}</Key><Size>${listedSize}</Size></Contents>`).join('');
      if (searchParams.has('list-type'))
        return void res.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
      const key = pathname.slice(`/${bucket}/`.length);
      asked.push(key);
      answer(key, res);
    });
    const packAll = () => pack({ prefixes: ['small/'] }, { provider, bucket });
    beforeAll(async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      provider = new Storage([
        { ...s3.options, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      ]).providers.provider(s3.options.name);
    });
    beforeEach(() => {
      asked.length = 0;
      listedSize = 1024;
    });
    afterAll(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    it('takes up to 16 at once, and keeps their order whichever comes first', async () => {
      const held: (() => void)[] = [];
      let most = 0;
      answer = (key, res) => {
        held.push(() => res.end(`<${key}>`));
        most = Math.max(most, held.length);
        // The latest is answered first, when no further one comes.
        const waiting = held.length;
        setTimeout(
          () =>
            waiting === held.length &&
            held
              .splice(0)
              .reverse()
              .forEach((end) => end()),
          100,
        );
      };
      expect(unzip(await buffer(await packAll()))).toEqual(KEYS.map((key) => ({ name: key, content: `<${key}>` })));
      expect(most).toBeGreaterThan(8);
      expect(most).toBeLessThanOrEqual(16);
    });

    it('takes no more than a mebibyte ahead of its reader, and ends what is on its way when the reader leaves', async () => {
      listedSize = 131_072;
      let ended = 0;
      answer = (key, res) => {
        res.once('close', () => (ended += 1));
        if (Number(key.slice(-2)) < 5) res.end(randomBytes(listedSize));
        else res.writeHead(200, { 'content-length': listedSize }).write('a first byte');
      };
      const stream = await packAll();
      await until(() => asked.length >= 8);
      await sleep(50);
      const opened = asked.length;
      expect(opened).toBeLessThanOrEqual(12);
      stream.destroy();
      await until(() => ended >= opened);
      expect([ended, asked.length]).toEqual([opened, opened]);
    });

    it.each([204, 206, 304])(
      'breaks off when storage answers %i, which is not the whole of an object',
      async (status) => {
        answer = (key, res) =>
          void res
            .writeHead(key.endsWith('7') ? status : 200, key.endsWith('7') ? {} : { 'content-length': 4 })
            .end(key.endsWith('7') ? undefined : 'full');
        await expect(packAll().then(buffer)).rejects.toMatchObject({ code: 'storage_unavailable' });
      },
    );

    it('packs as a whole what has grown since it was listed', async () => {
      const grown = randomBytes(1_000_000).toString('base64');
      answer = (key, res) => res.end(key.endsWith('7') ? grown : key);
      const packed = unzip(await buffer(await packAll()));
      expect(
        packed
          .map(({ content }, i) => content === (KEYS[i]!.endsWith('7') ? grown : KEYS[i]))
          .filter((isWhole) => !isWhole),
      ).toEqual([]);
    });
  });

  it('reads no further than it is read, and stops when it is dropped or its signal aborts', async () => {
    for (let i = 0; i < 6; i++) await put(`big/${i}`, randomBytes(4 * 2 ** 20));
    for (const how of ['destroy', 'signal'] as const) {
      const stop = new AbortController();
      s3.counter.reset();
      const stream = await pack({ prefixes: ['big/'], signal: stop.signal });
      await sleep(150);
      const opened = s3.counter.calls.filter((call) => call.includes('/big/')).length;
      expect(opened).toBeLessThanOrEqual(2);
      if (how === 'destroy') stream.destroy();
      else stop.abort();
      await sleep(50);
      expect(stream.destroyed).toBe(true);
      expect(s3.counter.calls.filter((call) => call.includes('/big/'))).toHaveLength(opened);
    }
  });
});
