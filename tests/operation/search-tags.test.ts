import { describe, expect, it, jest } from '@jest/globals';
import { Targets } from '../../src/access/target.ts';
import { TaggedScan } from '../../src/operation/search-tags.ts';
import { searchObjects } from '../../src/operation/search.ts';
import { compileGrants, type Grants } from '../../src/policy/index/grants.ts';
import type { OperationInput } from '../../src/wire/operations.ts';
import { newShares } from '../../src/storage/provider-shares.ts';
import { listingOf, type Kept } from '../storage/listed-storage.ts';
import { ToldStorage, type Answer } from '../storage/told-storage.ts';

const storage = ToldStorage.forTests();
const place = { provider: 'test', bucket: 'bucket' };

type Rule = readonly ['allow' | 'deny', 'objects:list' | 'objects:get', string];
const grantsOf = (...rules: Rule[]): Grants =>
  compileGrants([
    {
      name: 'p',
      source: 'config',
      rules: rules.map(([effect, action, prefix]) => ({
        effect,
        actions: [action],
        resources: [{ type: 'prefix', ...place, prefix }],
      })),
    },
  ]);
const ALL = grantsOf(['allow', 'objects:list', ''], ['allow', 'objects:get', '']);

type Question = Partial<OperationInput<'object/search'>>;

function pageOf(question: Question, grants = ALL, { signal } = new AbortController()) {
  return searchObjects.run({
    input: { ...place, ...question },
    caller: { effective: grants, grants, identity: { issuer: 'i', subject: 's', groups: [] } },
    storage: storage.providers,
    services: { targets: new Targets(() => 'refuse') },
    trail: { about: () => undefined },
    signal,
  } as never);
}

const found = async (question: Question, grants = ALL) =>
  (await pageOf(question, grants)).objects.map(({ key }) => key);
/** The keys about whose tags storage was asked. */
const askedAbout = () =>
  storage.asked
    .filter(({ query }) => query.has('tagging'))
    .map(({ path }) => decodeURIComponent(path.slice('/bucket/'.length)));

const tagged = (tags: Readonly<Record<string, string>>): Answer => ({
  body: `<Tagging><TagSet>${Object.entries(tags)
    .map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`)
    .join('')}</TagSet></Tagging>`,
});
const fault = (status: number, code: string): Answer => ({ status, body: `<Error><Code>${code}</Code></Error>` });

/** Storage that has objects with these tags. What `otherwise` says about an object comes first. */
function keep(
  objects: Readonly<Record<string, Readonly<Record<string, string>>>>,
  otherwise: Readonly<Record<string, Answer>> = {},
  kept: readonly (string | Kept)[] = Object.keys(objects),
  pageSize = 1_000,
): void {
  const listing = listingOf(kept, pageSize);
  storage.answer = (request) => {
    if (!request.query.has('tagging')) return listing(request);
    const key = decodeURIComponent(request.path.slice('/bucket/'.length));
    return otherwise[key] ?? tagged(objects[key]!);
  };
}

const SOME = {
  'a.txt': { state: 'approved', year: '2025' },
  'b.txt': { state: 'Approved' },
  'c.txt': { State: 'approved', 'state=approved': 'x' },
  'd.txt': { state: '' },
  'e.pdf': { state: 'approved', formula: 'a=b=c' },
  'f.txt': {},
};

describe('a search for a tag', () => {
  it.each<[string, Question, string[]]>([
    ['a name', { tag: 'state' }, ['a.txt', 'b.txt', 'd.txt', 'e.pdf']],
    ['a name and a value, whose case counts', { tag: 'state=approved' }, ['a.txt', 'e.pdf']],
    ['an empty value', { tag: 'state=' }, ['d.txt']],
    ['a value with `=`', { tag: 'formula=a=b=c' }, ['e.pdf']],
    ['no part of a name or of a value', { tag: 'stat' }, []],
    ['no part of a value', { tag: 'state=approve' }, []],
    ['no names that are words of JavaScript', { tag: 'constructor' }, []],
    ['what other filters leave', { tag: 'state=approved', kind: 'pdf' }, ['e.pdf']],
  ])('finds %s', async (_what, question, expected) => {
    keep(SOME);
    expect(await found(question)).toEqual(expected);
  });

  it('refuses a tag without a name, and asks storage for nothing', async () => {
    await expect(pageOf({ tag: '=approved' })).rejects.toMatchObject({
      code: 'invalid_request',
      members: { errors: [{ path: 'tag', message: 'has no name; write `name` or `name=value`' }] },
    });
    expect(storage.asked).toEqual([]);
  });

  it('asks storage only about objects that pass all other filters, and never about folders', async () => {
    const tags = { state: 'approved' };
    const kept: Kept[] = [
      { key: 'reports/', size: 0, lastModified: '2025-01-01T00:00:00.000Z' },
      { key: 'reports/a report.txt', size: 10, lastModified: '2025-01-01T00:00:00.000Z' },
      { key: 'reports/early report.txt', size: 10, lastModified: '2024-01-01T00:00:00.000Z' },
      { key: 'reports/large report.txt', size: 10_000, lastModified: '2025-01-01T00:00:00.000Z' },
      { key: 'reports/other.txt', size: 10, lastModified: '2025-01-01T00:00:00.000Z' },
      { key: 'reports/report.pdf', size: 10, lastModified: '2025-01-01T00:00:00.000Z' },
    ];
    keep(Object.fromEntries(kept.map(({ key }) => [key, tags])), {}, kept);
    const question: Question = { q: 'report', kind: 'text', maxSize: 100, after: '2025-01-01', tag: 'state' };
    expect(await found(question)).toEqual(['reports/a report.txt']);
    expect(askedAbout()).toEqual(['reports/a report.txt']);
    expect(await pageOf({ q: 'report', folders: true, tag: 'state' })).toMatchObject({ prefixes: [] });
    expect(await found({ tag: 'state' })).toEqual(kept.slice(1).map(({ key }) => key));
    expect(askedAbout()).not.toContain('reports/');
  });

  it('asks storage about no object whose tags the caller may not read, and does not find it', async () => {
    const tags = { state: 'approved' };
    keep({ 'a/1': tags, 'hidden/2': tags, 'listed/3': tags, 'listed/also read/4': tags });
    const grants = grantsOf(
      ['allow', 'objects:list', ''],
      ['deny', 'objects:list', 'hidden/'],
      ['allow', 'objects:get', 'a/'],
      ['allow', 'objects:get', 'hidden/'],
      ['allow', 'objects:get', 'listed/also read/'],
    );
    expect(await found({ tag: 'state' }, grants)).toEqual(['a/1', 'listed/also read/4']);
    expect(askedAbout().sort()).toEqual(['a/1', 'listed/also read/4']);
    const listsOnly = grantsOf(['allow', 'objects:list', '']);
    expect(await found({ tag: 'state' }, listsOnly)).toEqual([]);
    expect(askedAbout()).toHaveLength(2);
  });

  it('passes over an object without tags, and over one that is gone meanwhile', async () => {
    keep(SOME, { 'a.txt': fault(404, 'NoSuchKey'), 'b.txt': fault(404, 'NoSuchTagSet') });
    expect(await found({ tag: 'state' })).toEqual(['d.txt', 'e.pdf']);
    // Amazon's answer where the newest version is a delete marker.
    keep(SOME, { 'a.txt': fault(405, 'MethodNotAllowed') });
    const { answer } = storage;
    storage.answer = (request) => (request.method === 'HEAD' ? { status: 404 } : answer(request));
    expect(await found({ tag: 'state' })).toEqual(['b.txt', 'd.txt', 'e.pdf']);
  });

  it.each([
    [501, 'NotImplemented'],
    [405, 'MethodNotAllowed'],
  ])('says plainly that storage has no tags when it answers %i %s', async (status, code) => {
    keep(SOME, { 'c.txt': fault(status, code) });
    await expect(pageOf({ tag: 'state' })).rejects.toMatchObject({
      code: 'not_supported',
      detail: 'storage provider `test` has no tags; search without a tag',
    });
  });

  it('fails when the service itself may not read the tags, rather than find nothing', async () => {
    keep(SOME, { 'c.txt': fault(403, 'AccessDenied') });
    await expect(pageOf({ tag: 'state' })).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('asks nothing more when its client leaves', async () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => `k${String(i).padStart(4, '0')}`);
    keep(Object.fromEntries(keys.map((key) => [key, {}])));
    const leaving = new AbortController();
    const { answer } = storage;
    storage.answer = (request) => {
      if (askedAbout().length === 50) leaving.abort();
      return answer(request);
    };
    await expect(pageOf({ tag: 'a' }, ALL, leaving)).rejects.toThrow('aborted');
    for (let i = 0; i < 20; i += 1) await new Promise(setImmediate);
    expect(askedAbout().length).toBeLessThan(100);
  });

  it('finds each of many in one page that storage makes too long', async () => {
    const keys = Array.from({ length: 2_500 }, (_, i) => `k${String(i).padStart(4, '0')}`);
    const listing = listingOf(keys, 2_500);
    storage.answer = (request) => {
      request.query.delete('max-keys');
      request.query.set('max-keys', '2500');
      return request.query.has('tagging') ? tagged(request.path.endsWith('99') ? { last: '' } : {}) : listing(request);
    };
    const all: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await pageOf({ tag: 'last', ...(cursor === undefined ? {} : { cursor }) });
      all.push(...page.objects.map(({ key }) => key));
      cursor = page.nextCursor ?? undefined;
    }
    expect(all).toEqual(keys.filter((key) => key.endsWith('99')));
  });
});

describe('a search for a tag whose time is over', () => {
  it.each([
    [7, 300],
    [60, 130],
    [1_000, 40],
    [1_000, 5_000],
  ])('goes on with its cursor, and loses and repeats nothing (%i keys a page, %i ms a question)', async (size, ms) => {
    const keys = Array.from({ length: 150 }, (_, i) => `f${String(i % 3)}/${String(i).padStart(4, '0')}.txt`).sort();
    const isTagged = (key: string) => Number(key.slice(3, 7)) % 4 === 1;
    keep(Object.fromEntries(keys.map((key) => [key, isTagged(key) ? { t: 'x' } : { t: 'y' }])), {}, keys, size);
    const { answer } = storage;
    let now = performance.now();
    storage.answer = (request) => {
      if (request.query.has('tagging')) now += ms;
      return answer(request);
    };
    const all: string[] = [];
    let pages = 0;
    let seen = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    for (let cursor: string | undefined; ;) {
      const page = await pageOf({ tag: 't=x', ...(cursor === undefined ? {} : { cursor }) });
      all.push(...page.objects.map(({ key }) => key));
      pages += 1;
      seen += page.seen;
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
      // Only for the same tag.
      await expect(pageOf({ tag: 't=y', cursor })).rejects.toMatchObject({ code: 'invalid_request' });
    }
    clock.mockRestore();
    expect(all).toEqual(keys.filter(isTagged));
    expect(seen).toBe(keys.length);
    expect(pages).toBeGreaterThan(3);
    // Storage was asked once about each.
    expect(askedAbout().sort()).toEqual(keys);
  });
});

describe('the questions about tags', () => {
  const hit = (i: number) => ({ number: i + 1, key: `k${i}`, line: {} });
  const scanOf = (count: number) => {
    const hits = Array.from({ length: count }, (_, i) => hit(i));
    const pages = [{ after: `k${count - 1}`, digest: { seen: count, last: `k${count - 1}`, hits } }];
    return { next: async () => pages.shift(), cutAt: undefined };
  };

  it('are asked sixteen at once', async () => {
    let [under, most] = [0, 0];
    const scan = new TaggedScan(
      scanOf(100),
      async () => {
        under += 1;
        most = Math.max(most, under);
        await new Promise(setImmediate);
        under -= 1;
        return true;
      },
      60_000,
    );
    expect((await scan.next())?.digest.hits).toHaveLength(100);
    expect(most).toBe(16);
  });

  it('end with the first failure', async () => {
    let asked = 0;
    const scan = new TaggedScan(
      scanOf(100),
      async (key) => {
        asked += 1;
        await new Promise(setImmediate);
        if (key === 'k3') throw new Error('refused');
        return true;
      },
      60_000,
    );
    await expect(scan.next()).rejects.toThrow('refused');
    for (let i = 0; i < 20; i += 1) await new Promise(setImmediate);
    expect(asked).toBeLessThan(33);
  });

  it('of all searches that a person may run at once may wait, beside the pages that these read', async () => {
    const { questions } = newShares();
    const [searches, asked, read] = [16, 16, 8];
    const takes = Array.from({ length: searches * (asked + read) }, async () => questions.take('ada', 1));
    const refused = await Promise.race([
      Promise.all(takes).catch(String),
      new Promise((resolve) => setImmediate(resolve)),
    ]);
    expect(refused).toBeUndefined();
  });
});
