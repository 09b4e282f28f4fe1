import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { examineConditions } from '../../../src/doctor/conditions.ts';
import { Findings, type Finding } from '../../../src/doctor/finding.ts';
import { createBucket } from '../../../src/storage/buckets.ts';
import { EVERYTHING } from '../../../src/policy/index/grants.ts';
import { abortUpload, completeUpload, listParts, putPart, startUpload } from '../../../src/storage/multipart.ts';
import { copyObject, moveObject } from '../../../src/storage/object-copy.ts';
import { deleteObject } from '../../../src/storage/object-delete.ts';
import { getObject, headObject } from '../../../src/storage/object-read.ts';
import { changeProperties } from '../../../src/storage/object-properties.ts';
import { replaceContent } from '../../../src/storage/object-replace.ts';
import { putObject } from '../../../src/storage/object-write.ts';
import { copyPart } from '../../../src/storage/part-copy.ts';
import { readTags, replaceTags } from '../../../src/storage/preserved-headers.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { listUploads } from '../../../src/storage/upload-list.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';
import { countCalls, type CallCounter } from '../../support/call-counter.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { KEYS_FOR_REAL_STORAGE } from '../../storage/keys.ts';

const PART = 5 * 2 ** 20;
const MISREAD = [
  'mine/%73ecret/x',
  'a%20b',
  'a+b',
  '100% final.mov',
  '%',
  'mine%2Fsecret%2Fx',
  'x?versionId=null',
  'x?versionId=',
  'q?x=1',
  'large/ö +',
];
/** Each character that is encoded in a request. */
const ENCODED = Array.from(' "#$&\',:;<=>@[\\]^`{|}!*()\x01\t\x7fé漢😀', (character) => `each/${character}.bin`);

describeRadosGateway('on the gateway of Ceph', () => {
  let ceph: RadosGateway;
  let counter: CallCounter;
  let storage: Storage;
  let provider: StorageProvider;
  const bucket = 'svc-test-ceph';
  beforeAll(async () => {
    ceph = await startRadosGateway();
    counter = await countCalls(ceph.options.endpoint);
    storage = new Storage([{ ...ceph.options, endpoint: counter.url }]);
    provider = storage.providers.provider('ceph');
    await createBucket(withoutPolicy({ provider, bucket }));
  });
  afterEach(() => {
    counter.before = undefined;
    counter.reset();
  });
  afterAll(async () => {
    storage.close();
    await counter.close();
    await ceph.close();
  });

  const place = (key: string) => withoutPolicy({ provider, bucket, key });
  const put = (key: string, content: string | Buffer, options: Parameters<typeof putObject>[2] = {}) =>
    putObject(place(key), Readable.from([Buffer.from(content)]), {
      contentLength: Buffer.byteLength(content),
      ...options,
    });
  const read = async (key: string) => text((await getObject(place(key))).body!);
  const overwrite = (key: string, content: string) =>
    provider.s3.send({ method: 'PUT', bucket, key, body: Buffer.from(content) });
  const justBefore = (pattern: RegExp, work: () => Promise<unknown>) => {
    counter.before = async (call) => {
      if (!pattern.test(call)) return;
      counter.before = undefined;
      await work();
    };
  };
  /** One part of any size, which may be as small as the last one. */
  const inParts = { single: 1, part: PART };

  it('moves a large object of any key as what it is, and copies nothing of its neighbour', async () => {
    const neighbours = ['mine/secret/x', 'a b', 'x', '100', 'mine'];
    for (const key of neighbours) await put(key, `neighbour ${key}`);
    for (const key of [...MISREAD, ...ENCODED, ...KEYS_FOR_REAL_STORAGE]) {
      const content = `content of ${key}`;
      await put(key, content);
      expect([key, (await moveObject(place(key), place('target'), {}, inParts)).etag]).toEqual([
        key,
        expect.stringMatching(/^"[^"]+"$/),
      ]);
      expect(await read('target')).toBe(content);
      await expect(read(key)).rejects.toMatchObject({ code: 'not_found' });
      await deleteObject(place('target'));
    }
    for (const key of neighbours) expect(await read(key)).toBe(`neighbour ${key}`);
  });

  it('is never asked to copy a part of what it misreads', async () => {
    const copied: string[] = [];
    counter.before = async (call, headers) => {
      if (headers['x-amz-copy-source'] !== undefined) copied.push(call);
    };
    for (const key of MISREAD) {
      await put(key, 'content');
      await copyObject(place(key), place('copy'), {}, inParts);
    }
    expect(copied).toEqual([]);
    await put('plain', 'content');
    await copyObject(place('plain'), place('copy'), {}, inParts);
    expect(copied).toHaveLength(1);
  });

  it('copies several parts itself where the key is plain', async () => {
    const content = Buffer.alloc(2 * PART + 1, 'large');
    await put('large/ö ü', content, { contentType: 'text/css' });
    expect((await copyObject(place('large/ö ü'), place('copy'), {}, { single: PART, part: PART })).etag).toMatch(
      /^".+-3"$/,
    );
    expect(counter.calls.filter((call) => call.includes('partNumber'))).toHaveLength(3);
    expect(await read('copy')).toBe(content.toString());
  });

  it('fails no other request when it refuses a HEAD, after which it sends a body', async () => {
    await put('beside', 'x');
    // Without the counter of calls, which is a client of Ceph itself.
    const direct = new Storage([ceph.options]);
    const at = (key: string) => withoutPolicy({ provider: direct.providers.provider('ceph'), bucket, key });
    const often = async (work: () => Promise<unknown>): Promise<void> => {
      for (let i = 0; i < 50; i += 1) await work();
    };
    const refused = () => expect(headObject(at('a\0b'))).rejects.toMatchObject({ code: 'invalid_request' });
    const copied = (i: number) => () => copyObject(at('beside'), at(`beside ${i}`));
    try {
      await Promise.all([0, 1, 2, 3].flatMap((i) => [often(refused), often(copied(i))]));
    } finally {
      direct.close();
    }
  });

  it('has ETags in quotes, also after a copy', async () => {
    const { etag } = await put('quoted', 'x');
    expect(await copyObject(place('quoted'), place('quoted copy'))).toEqual({
      etag,
      lastModified: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  const stored = {
    'cache-control': 'max-age=60',
    'content-language': 'de',
    expires: 'Thu, 01 Jan 2032 00:00:00 GMT',
    // Each character is a byte.
    'x-amz-meta-owner': Buffer.from('Jörg 漢').toString('latin1'),
    'x-amz-storage-class': 'STANDARD_IA',
    'x-amz-tagging': 'team=a%20%26%20b&%C3%BC=1',
  };

  it('changes the content type, the metadata and the tags of an object, each without the others', async () => {
    const { etag } = await put('described', 'first', { contentType: 'text/x-note', stored });
    const now = async (): Promise<Record<string, string>> => ({
      ...(await headObject(place('described'), { stored: true })).headers,
      'last-modified': '',
      'x-amz-tagging-count': '',
    });
    const tags = () => readTags(place('described'), {});
    const [before, tagsBefore] = [await now(), await tags()];
    expect([before['x-amz-storage-class'], before['x-amz-meta-owner'], tagsBefore.length]).toEqual([
      'STANDARD_IA',
      stored['x-amz-meta-owner'],
      2,
    ]);
    const umlaut = Buffer.from('grün').toString('latin1');
    await changeProperties(place('described'), { metadata: new Map([['colour', umlaut]]) }, { ifMatch: etag });
    expect([await now(), await tags()]).toEqual([{ ...before, 'x-amz-meta-colour': umlaut }, tagsBefore]);
    const removed = { contentType: 'text/plain', metadata: new Map([['colour', undefined]]) };
    await changeProperties(place('described'), removed, { ifMatch: etag });
    const plain = { ...before, 'content-type': 'text/plain' };
    expect([await now(), await tags(), await read('described')]).toEqual([plain, tagsBefore, 'first']);
    await expect(changeProperties(place('described'), removed, { ifMatch: '"other"' })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    const others = [{ key: 'state <&> ü', value: 'neu + alt' }];
    await replaceTags(place('described'), others, {});
    expect([await now(), await tags()]).toEqual([plain, others]);
    await replaceTags(place('described'), [], {});
    expect([await now(), await tags()]).toEqual([plain, []]);
    await expect(replaceTags(place('no such object'), others, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('replaces the content of an object and keeps all else, and only of the version that was read', async () => {
    const { etag } = await put('note', 'first', { contentType: 'text/x-note', stored });
    const before = (await headObject(place('note'), { stored: true })).headers;
    const tags = await readTags(place('note'), {});
    expect([before['x-amz-meta-owner'], tags]).toEqual([
      stored['x-amz-meta-owner'],
      [
        { key: 'team', value: 'a & b' },
        { key: 'ü', value: '1' },
      ],
    ]);
    const replace = (content: string, ifMatch: string) =>
      replaceContent(place('note'), Readable.from([Buffer.from(content)]), {
        ifMatch,
        contentLength: Buffer.byteLength(content),
      });
    const written = await replace('second', etag);
    const { headers } = await headObject(place('note'), { stored: true });
    expect({ ...headers, etag: '', 'last-modified': '' }).toEqual({
      ...before,
      'content-length': '6',
      etag: '',
      'last-modified': '',
    });
    expect([await readTags(place('note'), {}), await read('note')]).toEqual([tags, 'second']);
    await expect(replace('lost', etag)).rejects.toMatchObject({ code: 'precondition_failed' });
    justBefore(/^PUT /, () => overwrite('note', 'theirs'));
    await expect(replace('lost', written.etag)).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await read('note')).toBe('theirs');
  });

  it('keeps the source that changes during a move, although it ignores the conditions of a copy', async () => {
    for (const sizes of [undefined, inParts]) {
      await put('moving', 'old');
      justBefore(/^PUT .*\/moved/, () => overwrite('moving', 'newer'));
      await expect(moveObject(place('moving'), place('moved'), {}, sizes)).rejects.toMatchObject({ code: 'conflict' });
      expect(await read('moving')).toBe('newer');
    }
  });

  it.each([
    ['written', (key: string, i: number) => put(key, `${i}`, { ifNoneMatchAny: true })],
    ['copied', (key: string, i: number) => copyObject(place(`source ${i}`), place(key), { ifNoneMatchAny: true })],
    [
      'copied in parts',
      (key: string, i: number) =>
        copyObject(place(`source ${i}`), place(key), { ifNoneMatchAny: true }, { single: 0, part: PART }),
    ],
    ['moved', (key: string, i: number) => moveObject(place(`source ${i}`), place(key), { ifNoneMatchAny: true })],
    [
      'joined',
      async (key: string, i: number) => {
        const { id } = await startUpload(place(key));
        const part = await putPart(place(key), { id, number: 1, size: 1, body: Readable.from([Buffer.from(`${i}`)]) });
        return completeUpload(place(key), id, [part], { ifNoneMatchAny: true });
      },
    ],
  ])('replaces nothing unasked when it is %s', async (name, write) => {
    for (let i = 0; i < 4; i += 1) await put(`source ${i}`, `${i}`);
    const ends = await Promise.allSettled([0, 1, 2, 3].map((i) => write(`once ${name}`, i)));
    const refused = { status: 'rejected', reason: { code: 'precondition_failed' } };
    expect(ends.filter(({ status }) => status === 'rejected')).toMatchObject([refused, refused, refused]);
    expect(await read(`once ${name}`)).toBe(String(ends.findIndex(({ status }) => status === 'fulfilled')));
  });

  const join = async (key: string, content: string, options: Parameters<typeof completeUpload>[3]) => {
    const { id } = await startUpload(place(key));
    const body = Readable.from([Buffer.from(content)]);
    const part = await putPart(place(key), { id, number: 1, size: Buffer.byteLength(content), body });
    return completeUpload(place(key), id, [part], options);
  };
  const LARGE = 'x'.repeat(2 * 2 ** 20);

  it.each([
    ['written', 'new', put],
    ['streamed', LARGE, put],
    ['of unknown length', 'new', (key, content, rest) => put(key, content, { contentLength: undefined, ...rest })],
    ['joined', 'new', join],
    [
      'copied',
      'new',
      async (key, content, options) => {
        await put(`${key} source`, content);
        return copyObject(place(`${key} source`), place(key), options);
      },
    ],
  ] as [string, string, (key: string, content: string, options: { ifMatch: string }) => Promise<unknown>][])(
    'replaces the named version alone when it is %s',
    async (name, content, write) => {
      for (const form of [(etag: string) => etag, (etag: string) => etag.replaceAll('"', ''), () => '*']) {
        const { etag } = await put(name, 'old');
        await write(name, content, { ifMatch: form(etag) });
        expect(await read(name)).toBe(content);
      }
      await put(name, 'old');
      await expect(write(name, content, { ifMatch: '"other"' })).rejects.toMatchObject({ code: 'precondition_failed' });
      expect(await read(name)).toBe('old');
      await expect(write(`${name} none`, content, { ifMatch: '*' })).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  it('deletes the named version alone', async () => {
    const { etag } = await put('deleted', 'x');
    await expect(deleteObject(place('deleted'), { ifMatch: '"other"' })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await deleteObject(place('deleted'), { ifMatch: etag });
    await expect(read('deleted')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('lists unfinished uploads of any key once, page by page', async () => {
    const real = KEYS_FOR_REAL_STORAGE.filter((key) => Buffer.byteLength(key) < 1_000);
    const keys = ['a', 'a', 'a', 'a-b', 'a.b', 'a/1', ...MISREAD, ...real];
    const started = await Promise.all(
      keys.map(async (key) => ({ key, ...(await startUpload(place(`listed/${key}`))) })),
    );
    const wanted = started.map(({ key, id }) => `listed/${key} ${id}`).sort();
    for (const limit of [1, 7, 1000]) {
      const seen: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null && seen.length <= keys.length;) {
        const query = { grants: EVERYTHING, limit, cursor };
        const page = await listUploads(withoutPolicy({ provider, bucket, prefix: 'listed/' }), query);
        seen.push(...page.uploads.map(({ key, id }) => `${key} ${id}`));
        cursor = page.nextCursor;
      }
      expect(seen.sort()).toEqual(wanted);
    }
    for (const { key, id } of started) await abortUpload(place(`listed/${key}`), id);
  });

  it('is never asked to copy a part of an upload', async () => {
    const sent: unknown[] = [];
    counter.before = async (_call, headers) => void sent.push(headers['x-amz-copy-source']);
    for (const key of [...MISREAD, 'plain']) {
      await put(key, `content of ${key}`);
      const { id } = await startUpload(place('copied'));
      const part = await copyPart(place(key), place('copied'), { id, number: 1, range: 'bytes=3-9' });
      await completeUpload(place('copied'), id, [part]);
      expect([key, await read('copied')]).toEqual([key, 'tent of']);
    }
    expect(sent.filter((source) => source !== undefined)).toEqual([]);
  });

  it('replaces the headers of an object that is copied to itself, and keeps or replaces its tags', async () => {
    const stored = { 'x-amz-meta-old': 'x', expires: 'Wed, 01 Jan 2031 00:00:00 GMT', 'x-amz-tagging': 'a%20b=1' };
    await put('replaced', 'content', { contentType: 'text/old', stored });
    expect((await headObject(place('replaced'), { stored: true })).headers).toMatchObject({
      expires: stored.expires,
      'x-amz-tagging-count': '1',
    });
    const replace = (more: object) =>
      copyObject(place('replaced'), place('replaced'), {
        replace: { contentType: 'text/new', stored: more as Record<string, string> },
      });
    await replace({ 'x-amz-meta-new': 'y' });
    const { headers } = await headObject(place('replaced'), { stored: true });
    expect(headers).toMatchObject({ 'content-type': 'text/new', 'x-amz-meta-new': 'y' });
    expect([headers['x-amz-meta-old'], headers['expires']]).toEqual([undefined, undefined]);
    expect(await readTags(place('replaced'), {})).toEqual([{ key: 'a b', value: '1' }]);
    await replace({ 'x-amz-tagging': 'c=2' });
    expect(await readTags(place('replaced'), {})).toEqual([{ key: 'c', value: '2' }]);
    expect(await read('replaced')).toBe('content');
  });

  it('gives an object that is uploaded in parts the tags with which its upload began', async () => {
    const object = place('tagged in parts');
    const stored = { 'x-amz-tagging': 'a%20b=1&%C3%BC=x', 'x-amz-meta-owner': 'me' };
    const { id } = await startUpload(object, { stored });
    const { etag } = await putPart(object, { id, number: 1, size: 3, body: Readable.from([Buffer.from('abc')]) });
    expect((await listParts(object, id)).map(({ number }) => number)).toEqual([1]);
    const tags = [
      { key: 'a b', value: '1' },
      { key: 'ü', value: 'x' },
    ];
    const join = () => completeUpload(object, id, [{ number: 1, etag }]);
    await join();
    expect([await readTags(object, {}), await read('tagged in parts')]).toEqual([tags, 'abc']);
    // A completion that is repeated because its answer was lost, or because the tags could not be written.
    await replaceTags(object, [], {});
    await join();
    expect(await readTags(object, {})).toEqual(tags);
    const other = await startUpload(object, { stored });
    expect(await abortUpload(object, other.id)).toBe(true);
    await expect(startUpload(object, { stored: { 'x-amz-tagging': 'a=1&a=2' } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('neither deletes nor writes an object for an upload id that has tags alone', async () => {
    const id = '~tags~YT0x';
    await put('whole', 'content');
    expect(await abortUpload(place('whole'), id)).toBe(false);
    const part = { id, number: 1, size: 1, body: Readable.from([Buffer.from('x')]) };
    await expect(putPart(place('whole'), part)).rejects.toMatchObject({ code: 'not_found' });
    expect(await read('whole')).toBe('content');
  });

  it('keeps the tags of an object that is copied in parts', async () => {
    await put('tagged', 'content', { stored: { 'x-amz-tagging': 'a%20b=1' } });
    await copyObject(place('tagged'), place('tagged copy'), {}, inParts);
    expect(await readTags(place('tagged copy'), {})).toEqual([{ key: 'a b', value: '1' }]);
  });

  it('is said by doctor to ignore the conditions of copies, multipart uploads and deletes', async () => {
    await put('probe', 'content');
    const said: Finding[] = [];
    await examineConditions(
      place('probe'),
      Buffer.from('content'),
      new Findings('storage', (finding) => void said.push(finding)),
    );
    const ignored = 'copies, sources of copies, multipart uploads, deletes';
    expect(said).toMatchObject([
      { state: 'warning', text: expect.stringContaining(`does not honour the conditions of ${ignored}: `) },
    ]);
    await expect(read('probe-copy')).rejects.toMatchObject({ code: 'not_found' });
  });
});
