import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { examineConditions } from '../../../src/doctor/conditions.ts';
import { Findings, type Finding } from '../../../src/doctor/finding.ts';
import { createBucket } from '../../../src/storage/buckets.ts';
import { completeUpload, putPart, startUpload } from '../../../src/storage/multipart.ts';
import { copyObject, moveObject } from '../../../src/storage/object-copy.ts';
import { deleteObject } from '../../../src/storage/object-delete.ts';
import { getObject } from '../../../src/storage/object-read.ts';
import { putObject } from '../../../src/storage/object-write.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
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
  }, 120_000);
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
  }, 120_000);

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

  it('has ETags in quotes, also after a copy', async () => {
    const { etag } = await put('quoted', 'x');
    expect(await copyObject(place('quoted'), place('quoted copy'))).toEqual({ etag });
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
