import { beforeEach, describe, expect, it } from '@jest/globals';
import { compileGrants, type Grants } from '../../src/policy/index/grants.ts';
import { Targets } from '../../src/access/target.ts';
import { folded, pageMatcher } from '../../src/operation/search-match.ts';
import { countObjects, searchObjects } from '../../src/operation/search.ts';
import type { OperationInput, OperationLine } from '../../src/wire/operations.ts';
import { listingOf, type Kept } from '../storage/listed-storage.ts';
import { ToldStorage } from '../storage/told-storage.ts';
import { workedMs } from '../support/worked.ts';

const storage = ToldStorage.forTests();

const place = { provider: 'test', bucket: 'bucket' };
const only = (
  effect: 'allow' | 'deny',
  prefix: string,
  actions: readonly ('objects:list' | 'objects:delete')[] = ['objects:list', 'objects:delete'],
) => ({ effect, actions: [...actions], resources: [{ type: 'prefix' as const, ...place, prefix }] });
const grantsOf = (...rules: ReturnType<typeof only>[]): Grants =>
  compileGrants([{ name: 'p', source: 'config', rules }]);
const ALL = grantsOf(only('allow', ''));

type Question = Partial<OperationInput<'object/search'>>;

/** The places that audit lines would name. */
let looked: unknown[] = [];
beforeEach(() => {
  looked = [];
});

function performance(input: object, effective: Grants) {
  const trail = { about: (place: unknown) => looked.push(place) };
  return {
    input: { ...place, ...input },
    caller: { effective, identity: { issuer: 'i', subject: 's', groups: [] } },
    storage: storage.providers,
    services: { targets: new Targets(() => 'refuse') },
    trail,
    signal: new AbortController().signal,
  } as never;
}

async function linesOf(question: Question, grants = ALL): Promise<OperationLine<'object/search'>[]> {
  return (await Array.fromAsync(searchObjects.lines!(performance(question, grants)))).flat();
}

const pageOf = async (question: Question, grants = ALL) => await searchObjects.run(performance(question, grants));
const sizeOf = async (input: Partial<OperationInput<'object/size'>>, grants = ALL) =>
  (await Array.fromAsync(countObjects.lines!(performance(input, grants)))).flat();

/** The names that a search finds, folders with their slash. */
async function found(question: Question, grants = ALL): Promise<string[]> {
  return (await linesOf(question, grants)).flatMap(({ object, prefix }) => object?.key ?? prefix ?? []);
}

const numbered = (count: number, name: (number: string) => string) =>
  Array.from({ length: count }, (_, i) => name(String(i).padStart(6, '0')));

const SOME: Kept[] = [
  { key: '2024/Report.pdf', size: 100, lastModified: '2024-05-01T10:00:00.000Z' },
  { key: '2024/reports/a.txt', size: 5, lastModified: '2024-06-01T00:00:00.000Z' },
  { key: '2024/reports/b.png', size: 50, lastModified: '2025-01-01T00:00:00.000Z' },
  { key: '2025/reports/', size: 0, lastModified: '2025-02-01T00:00:00.000Z' },
  { key: '2025/reports/deep/report.csv', size: 7, lastModified: '2025-03-01T00:00:00.000Z' },
  { key: 'Ma\u0308rz.md', size: 1, lastModified: '2025-03-02T00:00:00.000Z' },
  { key: 'makefile', size: 2, lastModified: '2025-03-03T00:00:00.000Z' },
];

describe('object/search', () => {
  it('compares names with thousands of combining marks without sorting all of them', () => {
    const marks = ['\u0301', '\u0323', '\u0315', '\u1dce'];
    const name = (start: string, count: number) =>
      start + Array.from({ length: count }, (_, i) => marks[i % marks.length]).join('');
    // The time that sorting takes is measured by `npm run bench -- faults worst-names`.
    expect(folded(name('A', 10_000))).toBe(folded(name('a', 30)));
    expect(folded('A\u0308\u0323')).toBe(folded('a\u0323\u0308'));
    expect(folded(`${name('a', 500)}.pdf`)).toContain('.pdf');
  });

  it.each<[string, Question, string[]]>([
    [
      'a part of a name, whatever its case, and folders once each',
      { q: 'REPORT', folders: true },
      ['2024/Report.pdf', '2024/reports/', '2025/reports/', '2025/reports/deep/report.csv'],
    ],
    [
      'with a slash a part of the path below the prefix',
      { q: 'reports/' },
      ['2024/reports/a.txt', '2024/reports/b.png', '2025/reports/', '2025/reports/deep/report.csv'],
    ],
    [
      'no folders unless they are asked for, but what stands for an empty one',
      { q: 'report' },
      ['2024/Report.pdf', '2025/reports/', '2025/reports/deep/report.csv'],
    ],
    [
      'only below the prefix',
      { q: 'report', folders: true, prefix: '2025/' },
      ['2025/reports/', '2025/reports/deep/report.csv'],
    ],
    ['no path above the prefix', { q: '2025/', prefix: '2025/' }, []],
    ['an accent in either way to write it', { q: 'm\u00e4rz' }, ['Ma\u0308rz.md']],
    ['a kind, told by an ending or a whole name', { kind: 'code' }, ['makefile']],
    ['a kind and a name, and then no folders', { q: 'report', folders: true, kind: 'pdf' }, ['2024/Report.pdf']],
    ['a size', { minSize: 5, maxSize: 7 }, ['2024/reports/a.txt', '2025/reports/deep/report.csv']],
    ['a date', { after: '2025-01-01', before: '2025-03-01T00:00:00Z' }, ['2024/reports/b.png', '2025/reports/']],
    ['everything', {}, SOME.map(({ key }) => key)],
    ['nothing', { q: 'nowhere' }, []],
  ])('finds %s', async (_what, question, expected) => {
    for (const pageSize of [1, 2, 1_000]) {
      storage.answer = listingOf(SOME, pageSize);
      expect(await found(question)).toEqual(expected);
    }
  });

  it.each([
    ['after', 'yesterday'],
    ['before', '2025-13-01'],
    ['before', '1'],
  ])('refuses a `%s` that is no date: %s', async (member, text) => {
    await expect(linesOf({ [member]: text })).rejects.toMatchObject({
      code: 'invalid_request',
      members: { errors: [{ path: member }] },
    });
  });

  it('says every thousand keys how many it has seen, and at the end', async () => {
    storage.answer = listingOf(numbered(2_500, (number) => `k${number}`));
    expect(await linesOf({ q: '001500' })).toEqual([
      { seen: 1_000 },
      { object: expect.objectContaining({ key: 'k001500' }) },
      { seen: 2_000 },
      { seen: 2_500 },
      { done: true },
    ]);
  });

  it('answers a caller who may list nothing without asking storage', async () => {
    expect(await linesOf({ q: 'x' }, grantsOf(only('allow', 'mine/'), only('deny', 'mine/')))).toEqual([
      { seen: 0 },
      { done: true },
    ]);
    expect(await pageOf({ q: 'x', prefix: 'theirs/' }, grantsOf(only('allow', 'mine/')))).toEqual({
      objects: [],
      prefixes: [],
      seen: 0,
      nextCursor: null,
    });
    expect(storage.asked).toEqual([]);
  });

  it('stops after ten thousand hits in lines and a thousand in a page, and its cursor goes on with the same set', async () => {
    const keys = numbered(12_345, (number) => `folder-${number.slice(0, 4)}/file-${number}`);
    storage.answer = listingOf(keys);
    const first = await linesOf({ q: 'file' });
    const next = first.at(-1)!.nextCursor!;
    expect(first.flatMap(({ object }) => object ?? [])).toHaveLength(10_000);
    const rest = await linesOf({ q: 'file', cursor: next });
    expect([...first, ...rest].flatMap(({ object }) => object?.key ?? [])).toEqual(keys);
    expect(rest.at(-1)).toEqual({ done: true });

    const objects: string[] = [];
    const prefixes: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await pageOf({ q: 'f', folders: true, ...(cursor === undefined ? {} : { cursor }) });
      objects.push(...page.objects.map(({ key }) => key));
      prefixes.push(...page.prefixes);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(objects).toEqual(keys);
    expect(prefixes).toEqual([...new Set(keys.map((key) => key.slice(0, 12)))]);
  });

  it('takes for folders within folders, none of which matches, about as long as for letters', () => {
    const page = (letters: string) =>
      numbered(1_000, (number) => `${number}/${letters.repeat(250)}`).map((key) => ({
        key,
        size: 1,
        etag: 'e',
        lastModified: '2025-01-01T00:00:00.000Z',
      }));
    const matcher = pageMatcher({ q: 'zz', folders: true }, 2_000);
    const timed = (objects: ReturnType<typeof page>) =>
      Math.min(
        ...Array.from({ length: 10 }, () => {
          const since = workedMs();
          for (const _ of [1, 2, 3]) expect(matcher(objects).hits).toEqual([]);
          return workedMs() - since;
        }),
      );
    const [folders, letters] = [page('a/b/'), page('abcd')];
    timed(letters);
    expect(timed(folders)).toBeLessThan(2.5 * timed(letters));
  });

  it('keeps of a page no more than an answer tells, and its cursor goes on, where each key lies in hundreds of folders', async () => {
    const keys = numbered(1_000, (number) => `${number}/${'a/'.repeat(500)}x`);
    const page = keys.map((key) => ({ key, size: 1, etag: 'e', lastModified: '2025-01-01T00:00:00.000Z' }));
    const { hits, seen } = pageMatcher({ q: 'a', folders: true }, 2_000)(page);
    expect(seen).toBe(1_000);
    expect(hits.length).toBeLessThan(4_000);
    storage.answer = listingOf(keys.slice(0, 45), 7);
    const prefixes: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const lines = await linesOf({ q: 'a', folders: true, ...(cursor === undefined ? {} : { cursor }) });
      prefixes.push(...lines.flatMap(({ prefix }) => prefix ?? []));
      cursor = lines.at(-1)?.nextCursor;
    }
    expect(prefixes).toHaveLength(45 * 500);
    expect(new Set(prefixes).size).toBe(45 * 500);
  });

  it('takes a cursor for the same question only', async () => {
    storage.answer = listingOf(numbered(1_500, (number) => `k${number}`));
    const { nextCursor } = await pageOf({ q: 'k', minSize: 1 });
    const cursor = nextCursor!;
    expect((await pageOf({ q: 'k', minSize: 1, cursor })).objects).toHaveLength(500);
    for (const other of [
      { q: 'K2', minSize: 1 },
      { q: 'k' },
      { q: 'k', minSize: 1, prefix: 'k' },
      { q: 'k', minSize: 1, kind: 'pdf' },
      { q: 'k', minSize: 1, after: '2020-01-01' },
      { q: 'k', minSize: 1, folders: true },
    ] as Question[]) {
      await expect(pageOf({ ...other, cursor })).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(sizeOf({ cursor })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(cursor).not.toContain('k000');
  });

  it('answers the same, to the byte, for buckets that differ only in keys that may not be listed', async () => {
    const mine = numbered(4_321, (number) => `a/${number.slice(0, 4)}/mine-${number}.txt`);
    const grants = grantsOf(
      only('allow', ''),
      only('deny', 'b/'),
      ...numbered(12, (number) => number.slice(-2)).map((number) => only('deny', `a/00${number}/secret`)),
    );
    const told: string[] = [];
    for (const [count, pageSize] of [
      [0, 1_000],
      [3_333, 1_000],
      [777, 130],
    ] as const) {
      const hidden = numbered(count, (number) =>
        Number(number) % 2 === 0
          ? `b/${number}-mine`
          : `a/00${String(Number(number) % 12).padStart(2, '0')}/secret-mine-${number}`,
      );
      storage.answer = listingOf([...mine, ...hidden], pageSize);
      const lines = [
        ...(await linesOf({ q: 'mine', folders: true }, grants)),
        ...(await linesOf({ q: '1', folders: true }, grants)),
        ...(await sizeOf({}, grants)),
        ...(await sizeOf({ prefix: 'a/' }, grants)),
      ];
      told.push(lines.map((line) => JSON.stringify(line)).join('\n'));
    }
    expect(told[0]).toContain('mine-004320');
    expect(told[1]).toBe(told[0]);
    expect(told[2]).toBe(told[0]);
  });
});

describe('the audit of a search or a count', () => {
  it('names the place, unless nothing may be listed there', async () => {
    await pageOf({ prefix: '2024/' });
    await sizeOf({});
    await pageOf({ prefix: '2024/' }, grantsOf(only('allow', '2025/')));
    expect(looked).toEqual(['2024/', ''].map((prefix) => ({ provider: 'test', bucket: 'bucket', prefix })));
  });
});

describe('object/size', () => {
  it('counts all, each folder, and what may be deleted, without the marks of folders', async () => {
    storage.answer = listingOf(SOME, 2);
    const grants = grantsOf(only('allow', '', ['objects:list']), only('allow', '2024/reports/', ['objects:delete']));
    expect(await sizeOf({}, grants)).toEqual([
      { folder: { prefix: '2024/', objects: 3, bytes: 155, deletable: 2 } },
      { folder: { prefix: '2025/', objects: 1, bytes: 7, deletable: 0 } },
      { objects: 6, bytes: 165, deletable: 2 },
      { done: true },
    ]);
    expect(await countObjects.run(performance({ prefix: '2024/' }, grants))).toEqual({
      objects: 3,
      bytes: 155,
      deletable: 2,
      folders: [{ prefix: '2024/reports/', objects: 2, bytes: 55, deletable: 2 }],
      nextCursor: null,
    });
  });

  it('goes on with its cursor, and the pages add up', async () => {
    const keys = numbered(2_500, (number) => `f${number}/x`);
    storage.answer = listingOf(keys);
    const pages = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await countObjects.run(performance(cursor === undefined ? {} : { cursor }, ALL));
      pages.push(page);
      cursor = page.nextCursor;
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.reduce((sum, { objects }) => sum + objects, 0)).toBe(2_500);
    expect(new Set(pages.flatMap(({ folders }) => folders.map(({ prefix }) => prefix))).size).toBe(2_500);
  });
});
