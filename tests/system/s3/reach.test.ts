import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../../src/policy/index/decide.ts';
import { compileGrants } from '../../../src/policy/index/grants.ts';
import type { AtomicAction } from '../../../src/policy/model/action.ts';
import { objectResource, type Selector } from '../../../src/policy/model/resource.ts';
import type { Policy, Rule } from '../../../src/policy/model/rule.ts';
import { startS3Face, type S3Face, type S3Key } from '../../support/s3-face.ts';
import { sendRaw, signed, type RawAnswer } from '../../support/s3-signer.ts';

const SEED = 20_260_117;
const PEOPLE = 20;
const CALLS_OF_A_PERSON = 36;
/** More than one page looks into: each costs a call of storage. */
const FOLDERS = Array.from({ length: 40 }, (_, i) => `sparse/${i + 10}/`);
const BUCKETS = ['files', 'photos'] as const;
/** Neighbours in one folder and another, in both letter cases, and where UTF-16 and UTF-8 sort apart. */
const KEYS = ['a', 'a/b', 'a/bc', 'A/b', 'b/a/c', 'b/a/d', 'c d+e&', '\uff5e', '😀', '😁/a'];
const PREFIXES = ['', 'a', 'a/', 'A/', 'b/', 'b/a/', 'c', '😁/'];
const ACTIONS: readonly AtomicAction[] = ['objects:list', 'objects:get', 'objects:write', 'objects:delete'];

const selector: fc.Arbitrary<Selector> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Selector>({ type: 'all' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('bucket' as const),
      provider: fc.constant('main'),
      bucket: fc.constantFrom(...BUCKETS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('prefix' as const),
      provider: fc.constant('main'),
      bucket: fc.constantFrom(...BUCKETS),
      prefix: fc.constantFrom(...PREFIXES.slice(1)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('object' as const),
      provider: fc.constant('main'),
      bucket: fc.constantFrom(...BUCKETS),
      key: fc.constantFrom(...KEYS),
    }),
  },
);
const rules: fc.Arbitrary<Rule[]> = fc.array(
  fc.record({
    effect: fc.constantFrom('allow' as const, 'allow' as const, 'allow' as const, 'deny' as const),
    actions: fc.subarray([...ACTIONS], { minLength: 1 }),
    resources: fc.array(selector, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Nobody may reach what this adds, but a key needs a provider. */
const SEES_PROVIDER: Rule = {
  effect: 'allow',
  actions: ['providers:list'],
  resources: [{ type: 'provider', provider: 'main' }],
};
const people = fc.sample(rules, { seed: SEED, numRuns: PEOPLE }).map((given, i): { sub: string; policy: Policy } => ({
  sub: `p${i}`,
  policy: { name: `p${i}`, source: 'config', rules: [SEES_PROVIDER, ...given] },
}));
/** The scope of every second key. The others may do what their people may. */
const scopes = fc.sample(rules, { seed: SEED + 1, numRuns: PEOPLE }).map((given, i) => {
  const inProvider = (resource: Selector): Selector =>
    resource.type === 'all' ? { type: 'provider', provider: 'main' } : resource;
  const rules = given.map(({ actions, resources }) => ({ actions, resources: resources.map(inProvider) }));
  return i % 2 === 0 ? undefined : { rules };
});

/** May list a few keys of many folders, nearly all of which have no such key. */
const SPARSE = {
  sub: 'sparse',
  policy: {
    name: 'sparse',
    rules: [
      SEES_PROVIDER,
      {
        effect: 'allow',
        actions: ['objects:list'],
        resources: FOLDERS.map((folder) => ({
          type: 'prefix',
          provider: 'main',
          bucket: 'files',
          prefix: `${folder}x`,
        })),
      },
    ],
  },
};
const everybody = [...people, SPARSE];

let face: S3Face;
let host: string;
let keys: readonly S3Key[];
let owner: S3Key;

beforeAll(async () => {
  face = await startS3Face({
    accounts: [
      { sub: 'ada', name: 'Ada', groups: ['admins'] },
      ...everybody.map(({ sub }) => ({ sub, name: sub, groups: [sub] })),
    ],
    config: (given) => ({
      ...given,
      policies: [
        ...(given as { policies: object[] }).policies,
        ...everybody.map(({ policy: { name, rules } }) => ({ version: 1, name, rules })),
      ],
      bindings: [
        ...(given as { bindings: object[] }).bindings,
        ...everybody.map(({ sub }) => ({ groups: [sub], policies: [sub] })),
      ],
    }),
  });
  host = new URL(face.endpoint).host;
  owner = await face.key('ada');
  keys = await Promise.all(
    people.map(({ sub }, i) => face.key(sub, scopes[i] === undefined ? {} : { scope: scopes[i] })),
  );
  for (const bucket of BUCKETS) for (const key of KEYS) await ask(owner, 'PUT', pathOf(bucket, key));
});
afterAll(() => face.app.close());

const pathOf = (bucket: string, key: string) => `/${bucket}/${encodeURIComponent(key).replaceAll('%2F', '/')}`;
const ask = (key: S3Key, method: string, target: string, headers: Readonly<Record<string, string>> = {}, body = '') =>
  sendRaw(face.app.service.s3Port!, { method, target, body }, signed({ key, host, method, target, headers, body }));

/** What policy lets the key of a person do, and its scope. */
function permitsOf(i: number): (action: AtomicAction, bucket: string, key: string) => boolean {
  const scope = scopes[i]?.rules.map((rule): Rule => ({ effect: 'allow', ...rule }));
  const both = [people[i]!.policy, ...(scope === undefined ? [] : [{ ...people[i]!.policy, rules: scope }])];
  const grants = both.map((policy) => compileGrants([policy]));
  return (action, bucket, key) =>
    grants.every((each) => decide(each, action, objectResource('main', bucket, key)).allowed);
}

type Call = {
  readonly kind: 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'copy' | 'list' | 'list1';
  readonly bucket: (typeof BUCKETS)[number];
  readonly key: string;
  readonly from: string;
  readonly prefix: string;
  readonly delimiter: '' | '/';
  readonly most: number;
};
const drawn: fc.Arbitrary<Call> = fc.record({
  kind: fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'copy', 'list', 'list1'),
  bucket: fc.constantFrom(...BUCKETS),
  key: fc.constantFrom(...KEYS),
  from: fc.constantFrom(...KEYS),
  prefix: fc.constantFrom(...PREFIXES),
  delimiter: fc.constantFrom('', '/'),
  most: fc.constantFrom(1, 2, 1_000),
});
/** A copy of a key to itself changes nothing, and is refused without policy. */
const calls = drawn.filter(({ kind, key, from }) => kind !== 'copy' || key !== from);

/** What a call asks, as S3 documents it: the actions, and their keys. */
function asksOf({ kind, bucket, key, from }: Call): readonly (readonly [AtomicAction, string, string])[] {
  switch (kind) {
    case 'GET':
    case 'HEAD':
      return [['objects:get', bucket, key]];
    case 'PUT':
      return [['objects:write', bucket, key]];
    case 'DELETE':
      return [['objects:delete', bucket, key]];
    case 'copy':
      return [
        ['objects:get', bucket, from],
        ['objects:write', bucket, key],
      ];
    default:
      return [];
  }
}

const send = (key: S3Key, { kind, bucket, key: name, from }: Call): Promise<RawAnswer> =>
  kind === 'copy'
    ? ask(key, 'PUT', pathOf(bucket, name), { 'x-amz-copy-source': pathOf(bucket, from) })
    : ask(key, kind, pathOf(bucket, name), {}, kind === 'PUT' ? 'x' : '');

const unescaped = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

/** The keys and the folders of a listing, page by page. */
async function listed(key: S3Key, { kind, bucket, prefix, delimiter, most }: Call): Promise<string[]> {
  const found: string[] = [];
  for (let next = ''; ;) {
    const query = new URLSearchParams({
      'encoding-type': 'url',
      prefix,
      delimiter,
      'max-keys': String(most),
      ...(kind === 'list' && { 'list-type': '2' }),
      ...(next !== '' && { [kind === 'list' ? 'continuation-token' : 'marker']: next }),
    });
    const target = `/${bucket}?${query.toString().replaceAll('+', '%20')}`;
    const { status, text } = await ask(key, 'GET', target);
    expect(status).toBe(200);
    found.push(
      ...[...text.matchAll(/<Contents><Key>([^<]*)<\/Key>|<CommonPrefixes><Prefix>([^<]*)</g)].map(([, name, folder]) =>
        unescaped((name ?? folder)!),
      ),
    );
    if (!text.includes('<IsTruncated>true<')) return found.sort();
    const token = /<Next(?:ContinuationToken|Marker)>([^<]*)</.exec(text)?.[1] ?? '';
    next = kind === 'list' ? token : unescaped(token);
    expect(next).not.toBe('');
  }
}

function expectedListing(permits: (key: string) => boolean, { prefix, delimiter }: Call): string[] {
  const names = KEYS.filter((key) => key.startsWith(prefix) && permits(key)).map((key) => {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    return at === -1 ? key : key.slice(0, at + 1);
  });
  return [...new Set(names)].sort();
}

it('reaches exactly what policy says, and what is denied never reaches storage', async () => {
  const outcomes = { reached: 0, denied: 0, listings: 0 };
  for (const [i, key] of keys.entries()) {
    const mayDo = permitsOf(i);
    for (const call of fc.sample(calls, { seed: SEED + i, numRuns: CALLS_OF_A_PERSON })) {
      const { kind, bucket } = call;
      if (kind === 'list' || kind === 'list1') {
        const permits = (name: string) => mayDo('objects:list', bucket, name);
        const before = face.app.storageCalls.calls.length;
        const found = await listed(key, call).catch((error: unknown) => String(error));
        expect([call, found]).toEqual([call, expectedListing(permits, call)]);
        if (!['', ...KEYS].some((each) => permits(each) || permits(`${each}/`)))
          expect([call, face.app.storageCalls.calls.length]).toEqual([call, before]);
        outcomes.listings++;
        continue;
      }
      const allowed = asksOf(call).every((ask) => mayDo(...ask));
      const before = face.app.storageCalls.calls.length;
      const { status } = await send(key, call);
      const reached = face.app.storageCalls.calls.length > before;
      expect([call, status === 403, reached]).toEqual([call, !allowed, allowed]);
      outcomes[allowed ? 'reached' : 'denied']++;
      // What was deleted is there again for the next call.
      if (kind === 'DELETE' && allowed) await ask(owner, 'PUT', pathOf(bucket, call.key));
    }
  }
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(50);
});

/** An answer without what differs from one moment to the next. A token keeps its length, which could tell of a key. */
const masked = ({ text }: RawAnswer) =>
  text
    .replace(/^(?:Date|x-amz-request-id): .*\r\n/gim, '')
    .replace(/<RequestId>[^<]*</, '<')
    .replace(/(<NextContinuationToken>)([^<]*)/, (_all, tag: string, token: string) => tag + '*'.repeat(token.length));

/** Listings of every form that leave out or name what is denied, and calls about it. */
async function answersAbout(key: S3Key, bucket: string, denied: readonly string[]): Promise<string[]> {
  const list = (query: Readonly<Record<string, string>>) =>
    ask(key, 'GET', `/${bucket}?${new URLSearchParams(query).toString().replaceAll('+', '%20')}`);
  // Bytes are sent as they are, so every other character is a reference.
  const inXml = (name: string) => name.replace(/[&\u0080-\u{10ffff}]/gu, (each) => `&#${each.codePointAt(0)!};`);
  const named = denied.map((name) => `<Object><Key>${inXml(name)}</Key></Object>`).join('');
  const lists = ['', '/'].flatMap((delimiter) =>
    ['1', '2', '1000'].flatMap((most) =>
      ['', ...denied].map((after) => ({ delimiter, 'max-keys': most, ...(after !== '' && { after }) })),
    ),
  );
  const answers: RawAnswer[] = [];
  for (const { after, ...query } of lists)
    answers.push(
      ...(await Promise.all([
        list({ ...query, ...(after !== undefined && { marker: after }) }),
        list({ 'list-type': '2', ...query, ...(after !== undefined && { 'start-after': after }) }),
        list({ 'list-type': '2', ...query, prefix: after?.slice(0, -1) ?? 'a' }),
      ])),
    );
  answers.push(
    await list({ uploads: '' }),
    ...(await Promise.all(
      denied.flatMap((name) => ['GET', 'HEAD', 'DELETE'].map((method) => ask(key, method, pathOf(bucket, name)))),
    )),
  );
  const deleted = await ask(key, 'POST', `/${bucket}?delete`, {}, `<Delete>${named}</Delete>`);
  expect(deleted.text.match(/<Code>AccessDenied</g)).toHaveLength(denied.length);
  answers.push(deleted);
  return answers.map(masked);
}

it('answers the same whether or not what is denied exists', async () => {
  const bucket = 'photos';
  let compared = 0;
  for (const [i, key] of keys.entries()) {
    const mayDo = permitsOf(i);
    const permits = (action: AtomicAction, name: string) => mayDo(action, bucket, name);
    const denied = KEYS.filter((name) => !ACTIONS.some((action) => permits(action, name)));
    if (denied.length === 0 || !KEYS.some((name) => permits('objects:list', name)) || compared > 200) continue;
    for (const name of denied) await ask(owner, 'DELETE', pathOf(bucket, name));
    const without = await answersAbout(key, bucket, denied);
    const uploads: string[] = [];
    for (const name of denied) {
      await ask(owner, 'PUT', pathOf(bucket, name));
      const { text } = await ask(owner, 'POST', `${pathOf(bucket, name)}?uploads`);
      uploads.push(`${pathOf(bucket, name)}?uploadId=${/<UploadId>([^<]*)</.exec(text)![1]!}`);
    }
    expect(await answersAbout(key, bucket, denied)).toEqual(without);
    for (const target of uploads) expect((await ask(owner, 'DELETE', target)).status).toBe(204);
    compared += without.length;
  }
  expect(compared).toBeGreaterThan(200);
});

it('lists to the end with markers, past pages that policy leaves empty', async () => {
  const key = await face.key(SPARSE.sub);
  await ask(owner, 'PUT', pathOf('files', `${FOLDERS.at(-1)!}x`));
  const call = {
    kind: 'list1',
    bucket: 'files',
    key: '',
    from: '',
    prefix: 'sparse/',
    delimiter: '/',
    most: 5,
  } as const;
  const { text } = await ask(key, 'GET', '/files?prefix=sparse%2F&delimiter=%2F&max-keys=5');
  expect([text.includes('<IsTruncated>true<'), text.includes('<CommonPrefixes>')]).toEqual([true, false]);
  expect(await listed(key, call)).toEqual([FOLDERS.at(-1)]);
});
