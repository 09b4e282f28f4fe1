import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AtomicAction } from '../../src/policy/model/action.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { compileGrants, EVERYTHING, NOTHING, type Grants } from '../../src/policy/index/grants.ts';
import { objectResource, type Selector } from '../../src/policy/model/resource.ts';
import type { Effect } from '../../src/policy/model/rule.ts';
import { createBucket } from '../../src/storage/buckets.ts';
import { decodeCursor, encodeCursor } from '../../src/storage/cursor.ts';
import { listObjects, type ListQuery, type ObjectPage } from '../../src/storage/listing.ts';
import { randomSealingKey } from '../../src/secret/sealer.ts';
import { Storage } from '../../src/storage/storage.ts';
import { startStorage, type TestStorage } from '../support/s3-server.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const SLOW = 240_000;
let s3: TestStorage;
let amazonLike: TestStorage;
let cephLike: TestStorage;
beforeAll(async () => {
  s3 = amazonLike = await startStorage();
  cephLike = amazonLike.isS3rver ? await startStorage({}, { passesOverFolders: true }) : amazonLike;
});
afterEach(() => void (s3 = amazonLike));
afterAll(async () => {
  await amazonLike.close();
  if (cephLike !== amazonLike) await cephLike.close();
});

/** Grants of `objects:list` by shorthand: `+p:home/` allows a prefix, `-o:key` denies one object, `+*` allows the bucket. */
function listGrants(bucket: string, ...rules: string[]): Grants {
  return compileGrants([{ name: 'test', source: 'config', rules: rules.map((rule) => ruleOf(bucket, rule)) }]);
}

function ruleOf(bucket: string, rule: string): { effect: Effect; actions: AtomicAction[]; resources: Selector[] } {
  const place = { provider: 'test', bucket };
  const name = rule.slice(3);
  const selector: Selector =
    rule[1] === '*'
      ? { type: 'bucket', ...place }
      : rule[1] === 'p'
        ? { type: 'prefix', ...place, prefix: name }
        : { type: 'object', ...place, key: name };
  return { effect: rule.startsWith('+') ? 'allow' : 'deny', actions: ['objects:list'], resources: [selector] };
}

async function bucketWith(keys: readonly string[]): Promise<string> {
  const bucket = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket }));
  await s3.plant(bucket, keys);
  s3.counter.reset();
  return bucket;
}

/** `calls` is the number of storage calls of the page that took most. */
type Listed = { objects: string[]; prefixes: string[]; pages: number; calls: number };

/** A query with its place. */
type Query = Omit<ListQuery, 'cursor'> & { readonly bucket: string; readonly prefix: string };

async function listAll(query: Query): Promise<Listed> {
  const listed: Listed = { objects: [], prefixes: [], pages: 0, calls: 0 };
  let cursor: string | undefined;
  do {
    s3.counter.reset();
    const page: ObjectPage = await listObjects(withoutPolicy({ provider: s3.provider, ...query }), {
      ...query,
      cursor,
    });
    listed.objects.push(...page.objects.map(({ key }) => key));
    listed.prefixes.push(...page.prefixes);
    listed.pages++;
    listed.calls = Math.max(listed.calls, s3.counter.calls.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && listed.pages < 1000);
  return listed;
}

const inByteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** What a listing has to show, by asking policy about every key there is. */
function expected(
  keys: readonly string[],
  { bucket, prefix, delimiter, grants, startAfter = '' }: Omit<Query, 'limit'>,
): { objects: string[]; prefixes: string[] } {
  const objects: string[] = [];
  const prefixes = new Set<string>();
  for (const key of [...keys].sort(inByteOrder)) {
    if (!key.startsWith(prefix)) continue;
    const at = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
    const folder = at === -1 ? undefined : key.slice(0, at + delimiter!.length);
    if (inByteOrder(folder ?? key, startAfter) <= 0) continue;
    if (!decide(grants, 'objects:list', objectResource('test', bucket, key)).allowed) continue;
    if (folder === undefined) objects.push(key);
    else prefixes.add(folder);
  }
  return { objects, prefixes: [...prefixes] };
}

const TREE = [
  'a',
  'a/',
  'a/1',
  'a/2/x',
  'a-b',
  'a.b',
  'b/c/d',
  'home/alice/1',
  'home/alice/2',
  'home/bob/1',
  'home/bob/2',
  'home.txt',
  'photos/1',
  'photos-private/1',
  'z',
];

/** Texts after which a listing begins: keys, folders, and others. */
const BEGINNINGS = [
  '',
  'a',
  'a/',
  'a/2',
  'a/2/x',
  'home',
  'home/alice',
  'home/alice/1',
  'home/bob/9',
  'homf',
  'z',
  'ä',
];

describe('listObjects', () => {
  it('asks storage nothing when no policy allows anything', async () => {
    const bucket = await bucketWith(['x']);
    const page = await listObjects(withoutPolicy({ provider: s3.provider, bucket, prefix: '' }), {
      limit: 10,
      grants: NOTHING,
    });
    expect(page).toEqual({ objects: [], prefixes: [], nextCursor: null });
    expect(s3.counter.calls).toEqual([]);
  });

  it('gives size, etag and time of each object', async () => {
    const bucket = await bucketWith(['x']);
    const page = await listObjects(withoutPolicy({ provider: s3.provider, bucket, prefix: '' }), {
      limit: 10,
      grants: EVERYTHING,
    });
    // The members of an object are getters when its XML came in such pieces that it could be read as one text.
    expect(page.objects).toMatchObject([
      {
        key: 'x',
        size: 0,
        etag: '"d41d8cd98f00b204e9800998ecf8427e"',
        lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ]);
  });

  it('answers not_found for a bucket that is not there', async () => {
    const query = { bucket: 'svc-no-such-bucket', prefix: '', limit: 10, grants: EVERYTHING };
    await expect(listObjects(withoutPolicy({ provider: s3.provider, ...query }), query)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('rolls keys up at the delimiter, and pages through objects and prefixes alike', async () => {
    const bucket = await bucketWith(TREE);
    for (const limit of [1, 2, 3, 100]) {
      const { objects, prefixes } = await listAll({ bucket, prefix: '', delimiter: '/', limit, grants: EVERYTHING });
      expect(objects).toEqual(['a', 'a-b', 'a.b', 'home.txt', 'z']);
      expect(prefixes).toEqual(['a/', 'b/', 'home/', 'photos-private/', 'photos/']);
    }
    const folder = await listAll({ bucket, prefix: 'a/', delimiter: '/', limit: 2, grants: EVERYTHING });
    expect(folder).toMatchObject({ objects: ['a/', 'a/1'], prefixes: ['a/2/'] });
  });

  it('begins after a key or a folder, and shows that folder not again', async () => {
    const bucket = await bucketWith(TREE);
    const after = async (startAfter: string, delimiter?: '/') => {
      const { objects, prefixes, calls } = await listAll({
        bucket,
        prefix: '',
        delimiter,
        startAfter,
        limit: 100,
        grants: EVERYTHING,
      });
      expect(calls).toBe(1);
      return [...objects, ...prefixes].sort(inByteOrder);
    };
    expect(await after('home/alice/1', '/')).toEqual(['photos-private/', 'photos/', 'z']);
    expect(await after('home/', '/')).toEqual(['photos-private/', 'photos/', 'z']);
    expect(await after('home', '/')).toEqual(['home.txt', 'home/', 'photos-private/', 'photos/', 'z']);
    expect(await after('home/bob/1')).toEqual(['home/bob/2', 'photos-private/1', 'photos/1', 'z']);
    expect(await after('zz')).toEqual([]);
  });

  it('asks storage once for each page, also behind an object that has the name of its folder', async () => {
    const bucket = await bucketWith(TREE);
    expect(await listAll({ bucket, prefix: 'a/', delimiter: '/', limit: 1, grants: EVERYTHING })).toEqual({
      objects: ['a/', 'a/1'],
      prefixes: ['a/2/'],
      pages: 3,
      calls: 1,
    });
  });

  it('shows the way to a prefix that may be listed, and nothing beside it', async () => {
    const bucket = await bucketWith(TREE);
    const grants = listGrants(bucket, '+p:home/alice/');
    expect(await listAll({ bucket, prefix: '', delimiter: '/', limit: 100, grants })).toMatchObject({
      objects: [],
      prefixes: ['home/'],
      calls: 1,
    });
    expect(await listAll({ bucket, prefix: 'home/', delimiter: '/', limit: 100, grants })).toMatchObject({
      objects: [],
      prefixes: ['home/alice/'],
    });
    expect(await listAll({ bucket, prefix: 'home/alice/', delimiter: '/', limit: 100, grants })).toMatchObject({
      objects: ['home/alice/1', 'home/alice/2'],
    });
    expect(await listAll({ bucket, prefix: 'home/bob/', delimiter: '/', limit: 100, grants })).toMatchObject({
      objects: [],
      prefixes: [],
      calls: 0,
    });
  });

  it('takes a prefix by its bytes: `photos/` is not `photos-private/`, and `A` is not `a`', async () => {
    const bucket = await bucketWith([...TREE, 'A']);
    expect(await listAll({ bucket, prefix: '', limit: 100, grants: listGrants(bucket, '+p:photos/') })).toMatchObject({
      objects: ['photos/1'],
    });
    expect(await listAll({ bucket, prefix: '', limit: 100, grants: listGrants(bucket, '+p:photos') })).toMatchObject({
      objects: ['photos-private/1', 'photos/1'],
    });
    expect(await listAll({ bucket, prefix: '', limit: 100, grants: listGrants(bucket, '+o:A') })).toMatchObject({
      objects: ['A'],
    });
  });

  it('leaves out what is denied inside what is allowed, prefixes and single keys', async () => {
    const bucket = await bucketWith(TREE);
    const grants = listGrants(bucket, '+*', '-p:home/bob/', '-o:home/alice/1', '-p:b/');
    expect(await listAll({ bucket, prefix: 'home/', limit: 1, grants })).toMatchObject({ objects: ['home/alice/2'] });
    expect(await listAll({ bucket, prefix: '', delimiter: '/', limit: 3, grants })).toMatchObject({
      prefixes: ['a/', 'home/', 'photos-private/', 'photos/'],
    });
  });

  it('keeps control characters, percent signs and the order of UTF-8', async () => {
    const keys = [
      '%2F',
      '+ +',
      '\u{1f600}',
      '\uffee',
      'a&<>"\'',
      'a?b#c=d',
      'tab\there',
      'ctl\x01',
      'ü/ß',
      'zz\\z',
      ' lead',
      'trail ',
    ];
    const bucket = await bucketWith(keys);
    for (const limit of [1, 5, 100])
      expect((await listAll({ bucket, prefix: '', limit, grants: EVERYTHING })).objects).toEqual(
        [...keys].sort(inByteOrder),
      );
    expect(await listAll({ bucket, prefix: 'ü', delimiter: '/', limit: 5, grants: EVERYTHING })).toMatchObject({
      prefixes: ['ü/'],
    });
  });

  it('shows every key and folder of the last character of Unicode, whatever page they fall on', async () => {
    const last = '\u{10ffff}';
    const keys = ['a', last, `${last}${last}`, `${last}/b`, `x/${last}`, `x/${last}y`, `x/${last}${last}`];
    const bucket = await bucketWith(keys);
    const sorted = [...keys].sort(inByteOrder);
    for (const limit of [1, 2, 10]) {
      expect((await listAll({ bucket, prefix: '', limit, grants: EVERYTHING })).objects).toEqual(sorted);
      expect((await listAll({ bucket, prefix: 'x/', limit, grants: EVERYTHING })).objects).toEqual(
        sorted.filter((key) => key.startsWith('x/')),
      );
      expect(await listAll({ bucket, prefix: '', delimiter: '/', limit, grants: EVERYTHING })).toMatchObject({
        objects: ['a', last, `${last}${last}`],
        prefixes: ['x/', `${last}/`],
      });
    }
  });

  it('shows a folder once, whatever its keys begin with', async () => {
    const bucket = await bucketWith(['x/1', 'x/\u{10ffff}', 'x/\u{10ffff}y', 'z']);
    for (const limit of [1, 2, 10])
      expect(await listAll({ bucket, prefix: '', delimiter: '/', limit, grants: EVERYTHING })).toMatchObject({
        objects: ['z'],
        prefixes: ['x/'],
      });
    const first = await listObjects(withoutPolicy({ provider: s3.provider, bucket, prefix: '' }), {
      delimiter: '/',
      limit: 1,
      grants: EVERYTHING,
    });
    const rest = await listObjects(withoutPolicy({ provider: s3.provider, bucket, prefix: '' }), {
      delimiter: '/',
      limit: 10,
      grants: EVERYTHING,
      cursor: first.nextCursor!,
    });
    expect([first.prefixes, rest.prefixes, rest.objects.map(({ key }) => key)]).toEqual([['x/'], [], ['z']]);
  });

  it('refuses a cursor that it did not give, or that belongs to another query', async () => {
    const bucket = await bucketWith(TREE);
    const query = { bucket, prefix: '', limit: 1, grants: EVERYTHING };
    const { nextCursor } = await listObjects(withoutPolicy({ provider: s3.provider, ...query }), query);
    const forged = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const cursor of [
      '',
      'nonsense',
      'ä',
      forged({}),
      forged(['x']),
      forged([1, '', '']),
      forged(['\ud800', '', '']),
      forged(['x', '', '', '']),
      `${nextCursor}=`,
    ]) {
      await expect(
        listObjects(withoutPolicy({ provider: s3.provider, ...query }), { ...query, cursor }),
      ).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(
      listObjects(withoutPolicy({ provider: s3.provider, ...query, prefix: 'a' }), { ...query, cursor: nextCursor! }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(
      listObjects(withoutPolicy({ provider: s3.provider, ...query }), {
        ...query,
        delimiter: '/',
        cursor: nextCursor!,
      }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    const twin = new Storage([s3.options]).providers.provider('test');
    await expect(
      listObjects(withoutPolicy({ provider: twin, ...query }), { ...query, cursor: nextCursor! }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      members: { errors: [expect.objectContaining({ path: 'cursor' })] },
    });
    const other = await bucketWith(TREE);
    await expect(
      listObjects(withoutPolicy({ provider: s3.provider, ...query, bucket: other }), { ...query, cursor: nextCursor! }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    const key = randomSealingKey();
    const [mine, named] = new Storage([s3.options, { ...s3.options, name: 'named' }], [key]).providers
      .names()
      .map((name) => new Storage([{ ...s3.options, name }], [key]).providers.provider(name));
    const cursor = (await listObjects(withoutPolicy({ provider: mine!, ...query }), query)).nextCursor!;
    await expect(
      listObjects(withoutPolicy({ provider: named!, ...query }), { ...query, cursor }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    expect(
      (
        await listObjects(
          withoutPolicy({
            provider: new Storage([s3.options], [randomSealingKey(), key]).providers.provider('test'),
            ...query,
          }),
          { ...query, cursor },
        )
      ).objects,
    ).toHaveLength(1);
  });

  it('gives cursors that cannot be changed, name nothing, and are of one length', async () => {
    const bucket = await bucketWith(TREE);
    const query = { bucket, prefix: '', limit: 1, grants: EVERYTHING };
    const cursor = (await listObjects(withoutPolicy({ provider: s3.provider, ...query }), query)).nextCursor!;
    const bytes = Buffer.from(cursor, 'base64url');
    for (const at of [0, 15, 16, 31, 32, 33, 40, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      await expect(
        listObjects(withoutPolicy({ provider: s3.provider, ...query }), {
          ...query,
          cursor: changed.toString('base64url'),
        }),
      ).rejects.toMatchObject({ code: 'invalid_request' });
    }
    const lengths = ['a', 'home/alice/1', 'x'.repeat(1024), `${'ä'.repeat(512)}\u{10ffff}`].map(
      (after) => encodeCursor(withoutPolicy({ provider: s3.provider, ...query }), after, {}).length,
    );
    expect(new Set(lengths)).toEqual(new Set([cursor.length]));
    const named = Buffer.from(
      encodeCursor(withoutPolicy({ provider: s3.provider, ...query }), 'home/alice/1', {}),
      'base64url',
    );
    expect(named.toString('latin1')).not.toContain('alice');
  });

  it('shows nothing that is denied to whoever has a cursor of any place', async () => {
    const bucket = await bucketWith(TREE);
    const grants = listGrants(bucket, '+p:home/alice/');
    for (const after of ['', 'home/alice/1', 'home/bob/', 'a', '\u{10ffff}']) {
      const query = { bucket, prefix: '', limit: 100, grants };
      const page = await listObjects(withoutPolicy({ provider: s3.provider, ...query }), {
        ...query,
        cursor: encodeCursor(withoutPolicy({ provider: s3.provider, ...query }), after, {}),
      });
      expect([after, page.objects.map(({ key }) => key)]).toEqual([
        after,
        TREE.filter((key) => key.startsWith('home/alice/') && key > after),
      ]);
    }
  });

  it('makes at most 20 storage calls for a page, and goes on from there', async () => {
    const bucket = await bucketWith(
      Array.from({ length: 60 }, (_, i) => [
        `${i + 100}/keep`,
        ...Array.from({ length: 4 }, (__, j) => `${i + 100}/other${j}`),
      ]).flat(),
    );
    const rules = Array.from({ length: 60 }, (_, i) => `+o:${i + 100}/keep`);
    const grants = listGrants(bucket, ...rules);
    const { objects, calls } = await listAll({ bucket, prefix: '', limit: 30, grants });
    expect(objects).toHaveLength(60);
    expect(calls).toBeLessThanOrEqual(20);
  });

  it.each(['Amazon', 'Ceph'])(
    'agrees with asking policy about every key, whatever the rules, prefix, delimiter, page size and first key, on storage like that of %s',
    async (kind) => {
      s3 = kind === 'Ceph' ? cephLike : amazonLike;
      const bucket = await bucketWith(TREE);
      const names = [
        'a',
        'a/',
        'a/2',
        'home',
        'home/',
        'home/alice/',
        'home/bob/1',
        'home/b',
        'photos',
        'photos/',
        'z',
        'b/c/d',
        'a.b',
        'nothing',
        'home/alice/1',
      ];
      const rule = fc.oneof(
        fc.constantFrom('+*'),
        fc.tuple(fc.constantFrom('+p:', '-p:', '+o:', '-o:'), fc.constantFrom(...names)).map((parts) => parts.join('')),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(rule, { minLength: 1, maxLength: 6 }),
          fc.constantFrom('', 'a', 'a/', 'home', 'home/', 'home/alice/', 'photos'),
          fc.constantFrom(undefined, '/', '-', 'o'),
          fc.integer({ min: 1, max: 6 }),
          fc.constantFrom(undefined, ...BEGINNINGS),
          async (rules, prefix, delimiter, limit, startAfter) => {
            const query = { bucket, prefix, delimiter, startAfter, grants: listGrants(bucket, ...rules) };
            const { objects, prefixes } = await listAll({ ...query, limit });
            expect({ objects, prefixes }).toEqual(expected(TREE, query));
          },
        ),
        { numRuns: s3.isS3rver ? 80 : 60 },
      );
    },
    SLOW,
  );

  it.each(['Amazon', 'Ceph'])(
    'tells nothing of keys that may not be listed: two buckets that differ in these alone are answered alike, cursors included, on storage like that of %s',
    async (kind) => {
      s3 = kind === 'Ceph' ? cephLike : amazonLike;
      const names = [
        'a',
        'a/',
        'a/2',
        'home/',
        'home/alice/',
        'home/bob/1',
        'home/b',
        'photos',
        'z',
        'b/c/d',
        'a.b',
        'home/alice/1',
      ];
      const rule = fc.oneof(
        fc.constantFrom('+*'),
        fc.tuple(fc.constantFrom('+p:', '-p:', '+o:', '-o:'), fc.constantFrom(...names)).map((parts) => parts.join('')),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(rule, { minLength: 1, maxLength: 6 }),
          fc.subarray(TREE),
          fc.constantFrom('', 'a', 'a/', 'home', 'home/'),
          fc.constantFrom(undefined, '/'),
          fc.integer({ min: 1, max: 4 }),
          fc.constantFrom(undefined, ...BEGINNINGS),
          async (rules, kept, prefix, delimiter, limit, startAfter) => {
            const isListed = (key: string) =>
              decide(listGrants('bucket', ...rules), 'objects:list', objectResource('test', 'bucket', key)).allowed;
            const answers = await Promise.all(
              [TREE, TREE.filter((key) => isListed(key) || kept.includes(key))].map(async (keys) => {
                const bucket = await bucketWith(keys);
                const query = { bucket, prefix, delimiter, limit, startAfter, grants: listGrants(bucket, ...rules) };
                const pages: unknown[] = [];
                for (let cursor: string | null | undefined; cursor !== null && pages.length < 100;) {
                  const page: ObjectPage = await listObjects(withoutPolicy({ provider: s3.provider, ...query }), {
                    ...query,
                    cursor,
                  });
                  cursor = page.nextCursor;
                  pages.push([
                    page.objects.map(({ key }) => key),
                    page.prefixes,
                    cursor === null
                      ? null
                      : decodeCursor(withoutPolicy({ provider: s3.provider, ...query }), cursor, query),
                  ]);
                }
                return pages;
              }),
            );
            expect(answers[1]).toEqual(answers[0]);
          },
        ),
        { numRuns: s3.isS3rver ? 60 : 20 },
      );
    },
    SLOW,
  );

  it('shows no folder for keys that may not be listed, and looks into those that policy divides alone', async () => {
    const bucket = await bucketWith(TREE);
    const root = (...rules: string[]) =>
      listAll({ bucket, prefix: '', delimiter: '/', limit: 100, grants: listGrants(bucket, ...rules) });
    expect(await root('+p:home/carol/')).toMatchObject({ prefixes: [] });
    expect(await root('+*', '-p:home/alice/', '-p:home/bob/')).toMatchObject({
      prefixes: ['a/', 'b/', 'photos-private/', 'photos/'],
      calls: 2,
    });
    expect(await root('+*', '-o:home/alice/1')).toMatchObject({
      prefixes: ['a/', 'b/', 'home/', 'photos-private/', 'photos/'],
      calls: 2,
    });
    expect(await root('+*')).toMatchObject({ calls: 1 });
  });

  it(
    'reads only what may be listed in a bucket of 6,000 keys',
    async () => {
      const flat = Array.from({ length: 6_000 }, (_, i) => `key-${String(i).padStart(5, '0')}`);
      const bucket = await bucketWith(flat);
      const grants = listGrants(bucket, '+p:key-0234');
      for (const delimiter of [undefined, '/']) {
        const { objects, calls, pages } = await listAll({ bucket, prefix: '', delimiter, limit: 200, grants });
        expect(objects).toEqual(flat.slice(2_340, 2_350));
        expect({ calls, pages }).toEqual({ calls: 1, pages: 1 });
      }
      const spread = await listAll({
        bucket,
        prefix: '',
        limit: 200,
        grants: listGrants(bucket, '+p:key-0000', '+p:key-0599', '+o:key-03000'),
      });
      expect(spread.objects).toHaveLength(21);
      expect(spread.calls).toBeLessThanOrEqual(3);
      const hole = await listAll({
        bucket,
        prefix: '',
        limit: 1000,
        grants: listGrants(bucket, '+*', '-p:key-00', '-p:key-010'),
      });
      expect(hole.objects).toEqual(flat.slice(1_100));
      expect(hole.calls).toBeLessThanOrEqual(3);
    },
    SLOW,
  );
});
