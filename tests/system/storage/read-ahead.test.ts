import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileGrants } from '../../../src/policy/index/grants.ts';
import { decide } from '../../../src/policy/index/decide.ts';
import { objectResource, type Selector } from '../../../src/policy/model/resource.ts';
import { listObjects, type ListQuery } from '../../../src/storage/listing.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';

/** So long nothing further is asked, before all that was asked is answered at once: what is asked meanwhile costs one round trip together. */
const QUIET_MS = 60;
const MAX_CALLS = 32;

describe('a page that policy thins out', () => {
  let keys: string[] = [];
  let isSlow = true;
  let requests = 0;
  let roundTrips = 0;
  const held: (() => void)[] = [];
  const server = http.createServer((req, res) => {
    requests += 1;
    held.push(() =>
      res
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(pageOf(new URL(req.url ?? '', 'http://storage').searchParams)),
    );
    const waiting = requests;
    const release = (): void => {
      if (waiting !== requests) return;
      roundTrips += 1;
      for (const answer of held.splice(0)) answer();
    };
    if (isSlow) setTimeout(release, QUIET_MS);
    else release();
  });
  const pageOf = (query: URLSearchParams): string => {
    const [prefix, delimiter, after, max] = [
      query.get('prefix') ?? '',
      query.get('delimiter') ?? '',
      query.get('start-after') ?? '',
      Number(query.get('max-keys')),
    ];
    const names = new Set(
      keys.filter((key) => key.startsWith(prefix) && key > after).map((key) => rolledUp(key, prefix, delimiter)),
    );
    const shown = [...names].slice(0, max);
    const entries = shown.map((name) =>
      delimiter !== '' && name.endsWith(delimiter)
        ? `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${name}</Key></Contents>`,
    );
    return `<ListBucketResult><IsTruncated>${names.size > shown.length}</IsTruncated>${entries.join('')}</ListBucketResult>`;
  };
  const rolledUp = (key: string, prefix: string, delimiter: string): string => {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    return at === -1 ? key : key.slice(0, at + 1);
  };

  let provider: StorageProvider;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    provider = new Storage([
      {
        name: 'test',
        type: 's3',
        endpoint,
        region: 'us-east-1',
        pathStyle: true,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        connectTimeoutMs: 5000,
        idleTimeoutMs: 10_000,
      },
    ]).providers.provider('test');
  });
  beforeEach(() => {
    isSlow = true;
    [requests, roundTrips] = [0, 0];
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const numbered = (count: number, name: (number: string) => string) =>
    Array.from({ length: count }, (_, i) => name(String(i).padStart(6, '0')));
  const place = { provider: 'test', bucket: 'bucket' };
  const only = (effect: 'allow' | 'deny', resources: Selector[]) => ({
    effect,
    actions: ['objects:list' as const],
    resources,
  });
  const grantsOf = (...rules: ReturnType<typeof only>[]) => compileGrants([{ name: 'p', source: 'config', rules }]);
  const list = ({
    prefix = '',
    ...query
  }: Partial<ListQuery> & Pick<ListQuery, 'grants'> & { readonly prefix?: string }) =>
    listObjects(withoutPolicy({ provider, bucket: 'bucket', prefix }), { limit: 200, ...query });
  const isMine = (key: string) => /00(\/|$)/.test(key);

  it.each([
    [
      'single keys are allowed',
      (key: string) => key,
      (mine: string[]) => [
        only(
          'allow',
          mine.map((key) => ({ type: 'object', ...place, key })),
        ),
      ],
    ],
    [
      'prefixes are allowed',
      (key: string) => `${key}/report`,
      (mine: string[]) => [
        only(
          'allow',
          mine.map((key) => ({ type: 'prefix', ...place, prefix: key.slice(0, 7) })),
        ),
      ],
    ],
    [
      'all others are denied',
      (key: string) => key,
      (mine: string[]) => [
        only('allow', [{ type: 'bucket', ...place }]),
        only(
          'deny',
          keys.filter((key) => !mine.includes(key)).map((key) => ({ type: 'object', ...place, key })),
        ),
      ],
    ],
  ] as const)(
    'is full within two round trips when 1 in 100 keys may be listed, because %s',
    async (_why, name, rules) => {
      keys = numbered(40_000, name);
      const mine = keys.filter(isMine);
      const grants = grantsOf(...rules(mine));
      const first = await list({ grants });
      expect(first.objects.map(({ key }) => key)).toEqual(mine.slice(0, 200));
      expect({ roundTrips, isBounded: requests <= MAX_CALLS }).toEqual({ roundTrips: 2, isBounded: true });
      [requests, roundTrips] = [0, 0];
      const second = await list({ grants, cursor: first.nextCursor! });
      expect([second.objects.map(({ key }) => key), second.nextCursor]).toEqual([mine.slice(200), null]);
      expect({ roundTrips, isBounded: requests <= MAX_CALLS }).toEqual({ roundTrips: 2, isBounded: true });
    },
  );

  it('has as many folders as calls are allowed within two round trips, when each has to be looked into', async () => {
    keys = numbered(2000, (number) => `${number}/report`);
    const mine = keys.filter((key) => key.includes('0/'));
    const page = await list({
      delimiter: '/',
      grants: grantsOf(
        only(
          'allow',
          mine.map((key) => ({ type: 'object', ...place, key })),
        ),
      ),
    });
    expect(page.prefixes).toEqual(mine.slice(0, MAX_CALLS).map((key) => key.slice(0, 7)));
    expect(requests).toBe(MAX_CALLS);
    expect(roundTrips).toBeLessThanOrEqual(2);
  });

  it('asks for nothing ahead when nothing is left out, and no more than it needs', async () => {
    keys = numbered(2000, (number) => number);
    await list({ grants: grantsOf(only('allow', [{ type: 'prefix', ...place, prefix: '00' }])), prefix: '00' });
    await list({
      grants: grantsOf(
        only('allow', [{ type: 'bucket', ...place }]),
        only('deny', [{ type: 'object', ...place, key: '000150' }]),
      ),
    });
    expect(requests).toBe(3);
  });

  it('names each key once and in order, however unevenly the keys lie, and never one that may not be listed', async () => {
    isSlow = false;
    const gap = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.integer({ min: 1, max: 2500 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(gap, { minLength: 30, maxLength: 60 }),
        fc.array(fc.nat(59), { maxLength: 20 }),
        fc.constantFrom(undefined, '/'),
        fc.constantFrom(5, 40, 200),
        async (gaps, denied, delimiter, limit) => {
          const at = gaps.map((_, i) => gaps.slice(0, i + 1).reduce((sum, n) => sum + n, 0));
          keys = numbered(at.at(-1)! + 50, (number) => (Number(number) % 7 === 0 ? `${number}/x` : number));
          const named = at.map((i) => keys[i]!);
          const grants = grantsOf(
            only(
              'allow',
              named.map((key) => ({ type: 'prefix', ...place, prefix: key })),
            ),
            only(
              'deny',
              denied.filter((i) => i < named.length).map((i) => ({ type: 'object', ...place, key: named[i]! })),
            ),
          );
          const expected = keys
            .filter((key) => decide(grants, 'objects:list', objectResource('test', 'bucket', key)).allowed)
            .map((key) => rolledUp(key, '', delimiter ?? ''));
          const seen: string[] = [];
          let cursor: string | undefined;
          do {
            requests = 0;
            const page = await list({ grants, delimiter, limit, cursor });
            expect(requests).toBeLessThanOrEqual(MAX_CALLS);
            seen.push(...[...page.objects.map(({ key }) => key), ...page.prefixes].sort());
            cursor = page.nextCursor ?? undefined;
          } while (cursor !== undefined);
          expect(seen).toEqual([...new Set(expected)]);
        },
      ),
      { numRuns: 40 },
    );
  });
});
