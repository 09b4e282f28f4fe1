import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../src/policy/index/decide.ts';
import { compileGrants, EVERYTHING, type Grants } from '../../src/policy/index/grants.ts';
import { compareKeys } from '../../src/policy/index/key-order.ts';
import { objectResource } from '../../src/policy/model/resource.ts';
import type { ListedObject } from '../../src/storage/bucket-page.ts';
import { Scan, type ScanOptions, type ScanQuery } from '../../src/storage/scan.ts';
import { KEY_PARTS } from '../policy/arbitraries.ts';
import { listingOf } from './listed-storage.ts';
import { ToldStorage } from './told-storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const storage = ToldStorage.forTests();
const EVER = 3_600_000;

type Keys = readonly string[];

type Query = Partial<ScanQuery> & { readonly prefix?: string };

function scanOf({ prefix = '', ...query }: Query, options: Partial<ScanOptions<Keys>> = {}): Scan<Keys> {
  const digest = (objects: readonly ListedObject[]) => objects.map(({ key }) => key);
  return new Scan(
    withoutPolicy({ provider: storage.provider, bucket: 'bucket', prefix }),
    { grants: EVERYTHING, after: '', person: 'ada', ...query },
    { digest, weigh: () => 0, softLimitMs: EVER, hardLimitMs: EVER, ...options },
  );
}

/** All keys that a scan gives, however often it has to be resumed. */
async function swept(query: Query, options: Partial<ScanOptions<Keys>> = {}): Promise<string[]> {
  const keys: string[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const scan = scanOf({ ...query, after }, options);
    try {
      for (let page = await scan.next(); page !== undefined; page = await scan.next()) keys.push(...page.digest);
    } finally {
      scan.close();
    }
    after = scan.cutAt;
  }
  return keys;
}

const only = (effect: 'allow' | 'deny', prefixes: readonly string[]) => ({
  effect,
  actions: ['objects:list' as const],
  resources: prefixes.map((prefix) => ({ type: 'prefix' as const, provider: 'test', bucket: 'bucket', prefix })),
});
const grantsOf = (...rules: ReturnType<typeof only>[]): Grants =>
  compileGrants([{ name: 'p', source: 'config', rules: rules.filter(({ resources }) => resources.length > 0) }]);
const numbered = (count: number, name: (number: string) => string) =>
  Array.from({ length: count }, (_, i) => name(String(i).padStart(6, '0')));

const key = fc
  .array(fc.constantFrom(...KEY_PARTS, '0', '1', '2', 'log-', '\u{10ffff}'), { minLength: 1, maxLength: 9 })
  .map((parts) => parts.join(''));
const prefixes = fc.array(
  fc.array(fc.constantFrom(...KEY_PARTS, '0', '1'), { maxLength: 3 }).map((parts) => parts.join('')),
  { maxLength: 5 },
);

describe('a scan', () => {
  it('gives each key once and in order, and none that may not be listed, however the keys lie and wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 200, size: 'max' }),
        prefixes,
        prefixes,
        fc.constantFrom('', 'a', 'log-', '😀'),
        fc.constantFrom(1, 3, 7),
        fc.constantFrom(0, 1, 4, EVER),
        async (keys, allowed, denied, prefix, pageSize, soonMs) => {
          const grants = grantsOf(
            only('allow', allowed.length === 0 ? [''] : allowed),
            only(
              'deny',
              denied.filter((each) => each !== ''),
            ),
          );
          storage.answer = listingOf(keys, pageSize);
          const expected = keys
            .filter(
              (each) =>
                each.startsWith(prefix) &&
                decide(grants, 'objects:list', objectResource('test', 'bucket', each)).allowed,
            )
            .sort(compareKeys);
          const found = await swept({ grants, prefix }, { softLimitMs: soonMs, hardLimitMs: soonMs * 2 + 5 });
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reads several partitions at once, and few pages twice', async () => {
    const keys = numbered(60_000, (number) => `logs/2025/host-${number}.log`);
    storage.answer = listingOf(keys);
    expect(await swept({})).toEqual(keys);
    expect(storage.asked.length).toBeLessThan(85);
    // Without a partition read ahead, each request begins where the one before ended.
    const begins = storage.asked.map(({ query }) => query.get('start-after') ?? '');
    expect(begins).not.toEqual(begins.toSorted(compareKeys));
  });

  it('costs a person with one folder requests for that folder only', async () => {
    storage.answer = listingOf([
      ...numbered(5_000, (number) => `others/${number}`),
      ...numbered(1_500, (number) => `mine/${number}`),
      ...numbered(5_000, (number) => `zoo/${number}`),
    ]);
    expect(await swept({ grants: grantsOf(only('allow', ['mine/'])) })).toHaveLength(1_500);
    expect(storage.asked.map(({ query }) => query.get('prefix'))).toEqual(['mine/', 'mine/']);
  });

  it('asks storage for nothing when nothing may be listed', async () => {
    expect(await swept({ grants: grantsOf(only('allow', ['mine/'])), prefix: 'theirs/' })).toEqual([]);
    expect(storage.asked).toEqual([]);
  });

  it('reads little twice when it is cut and resumed', async () => {
    const keys = numbered(40_000, (number) => `k${number}`);
    storage.answer = listingOf(keys, 100);
    expect(await swept({}, { softLimitMs: 150 })).toEqual(keys);
    expect(storage.asked.length).toBeLessThan(650);
  });

  it('stops asking while nobody takes what it read, and goes on when somebody does', async () => {
    const keys = numbered(30_000, (number) => `k${number}`);
    storage.answer = listingOf(keys, 100);
    const scan = scanOf({}, { weigh: () => 100_000 });
    const first = await scan.next();
    let before = -1;
    // What is under way comes to its end.
    while (before !== storage.asked.length) {
      before = storage.asked.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(before).toBeLessThan(30);
    const rest = [...first!.digest];
    for (let page = await scan.next(); page !== undefined; page = await scan.next()) rest.push(...page.digest);
    scan.close();
    expect(rest).toEqual(keys);
  });

  it('ends with the fault of storage, and when its reader leaves', async () => {
    storage.answer = listingOf(numbered(5_000, (number) => `k${number}`));
    const left = new AbortController();
    const scan = scanOf({ signal: left.signal });
    await scan.next();
    left.abort();
    await expect(scan.next()).rejects.toMatchObject({ name: 'AbortError' });
    scan.close();
    storage.answer = () => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    await expect(swept({})).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it.each([
    [
      'repeats its first page',
      () => ({
        body: listingOf(numbered(5_000, (number) => `k${number}`))({
          method: 'GET',
          path: '',
          query: new URLSearchParams({ 'max-keys': '1000' }),
          headers: {},
          body: '',
        }).body!,
      }),
      'storage_timeout',
    ],
    [
      'says that there is more, and has nothing',
      () => ({
        body: '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>',
      }),
      'storage_timeout',
    ],
  ])('does not go on for ever where storage %s', async (_how, answer, code) => {
    storage.answer = answer;
    await expect(swept({})).rejects.toMatchObject({ code });
    expect(storage.asked.length).toBeLessThan(60);
  });

  it('ends in time where storage never ends, and gives no key twice where storage mixes up their order', async () => {
    storage.answer = ({ query }) => {
      const after = query.get('start-after') ?? '';
      const keys = Array.from({ length: 50 }, (_, i) => `${after}${String(i).padStart(2, '0')}`).filter(
        (each) => Buffer.byteLength(each) <= 1_024,
      );
      return {
        body: `<ListBucketResult><IsTruncated>${keys.length > 0}</IsTruncated>${keys
          .toReversed()
          .map((each) => `<Contents><Key>${each}</Key></Contents>`)
          .join('')}</ListBucketResult>`,
      };
    };
    const scan = scanOf({}, { softLimitMs: 100, hardLimitMs: 200 });
    const found: string[] = [];
    for (let page = await scan.next(); page !== undefined; page = await scan.next()) found.push(...page.digest);
    scan.close();
    expect(scan.cutAt).toBeDefined();
    expect(found).toEqual([...new Set(found)].sort(compareKeys));
  });
});

describe('the scans of one person', () => {
  it('use no more connections than one person may, and leave others room', async () => {
    const { questions } = storage.provider.shares;
    await questions.take('greedy', 15);
    let most = 0;
    storage.answer = (request) => {
      most = Math.max(most, questions.used);
      return listingOf(numbered(3_000, (number) => `k${number}`))(request);
    };
    const greedy = Array.from({ length: 16 }, () => swept({ person: 'greedy' }));
    expect(await swept({ person: 'modest' })).toHaveLength(3_000);
    expect((await Promise.all(greedy)).map(({ length }) => length)).toEqual(Array.from({ length: 16 }, () => 3_000));
    questions.giveBack('greedy', 15);
    expect([most <= 16 + 8, questions.used]).toEqual([true, 0]);
  });
});
