import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { segmentFile, segmentsIn } from '../../../src/audit/chain-files.ts';
import type { Route } from '../../../src/http/routing/route.ts';
import { rpcSchemas } from '../../../src/wire/rpc.ts';
import { AUDIT_SECRET } from '../../audit/support/audit-folder.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInPeople, type People } from '../../support/audit-cases.ts';
import { placesIn, type NamedPlace } from '../../support/named-places.ts';
import { plantKeys } from '../../support/s3rver-gaps.ts';
import { RpcConnection } from '../../support/rpc-client.ts';

/** Viewers may read everything but the bucket `hr-secret`. */
const HIDDEN = {
  version: 1,
  name: 'hr',
  rules: [
    {
      effect: 'deny',
      actions: ['objects:read'],
      resources: [{ type: 'bucket', provider: 'main', bucket: 'hr-secret' }],
    },
  ],
};

const path = join(mkdtempSync(join(tmpdir(), 'svc-names-')), 'audit');
let app: TestApp;
let people: People;
let socket: RpcConnection;
beforeAll(async () => {
  app = await startApp({
    buckets: ['files', 'hr-secret'],
    config: ({ policies, bindings, ...config }) => ({
      ...config,
      policies: [...(policies as object[]), HIDDEN],
      bindings: [...(bindings as object[]), { groups: ['viewers'], policies: ['hr'] }],
      audit: { path, instance: 'one', signing_secret: AUDIT_SECRET, reads: 'all' },
    }),
  });
  people = await signInPeople(app);
  socket = (await RpcConnection.open(app.origin, {
    authorization: `Bearer ${people.bearers.get('ada')!}`,
    origin: app.origin,
  })) as RpcConnection;
  plantKeys(app.s3.server.store, 'hr-secret', ['reports/2024.xlsx']);
});
afterAll(async () => {
  socket.socket.close();
  await app.close();
  rmSync(join(path, '..'), { recursive: true, force: true });
});

type Entry = { readonly provider?: string; readonly bucket?: string; readonly key?: string; readonly prefix?: string };
type Line = { readonly operation?: string; readonly resources: readonly Entry[] };

/** Every line of the audit until now. What only reads is written a moment later, so a change is made and awaited after it. */
async function linesNow(): Promise<Line[]> {
  const { status } = await people.http('ada', 'PUT', '/api/providers/main/buckets/files/object?key=last', {
    body: 'x',
  });
  expect(status).toBe(200);
  const folder = join(path, 'one');
  const texts = segmentsIn(folder).flatMap((segment) =>
    readFileSync(segmentFile(folder, segment), 'utf8').split('\n').slice(0, -1),
  );
  return texts.map((text) => JSON.parse(text) as Line).filter(({ operation }) => operation !== undefined);
}

type Refusal = { readonly code: string; readonly errors?: readonly { readonly path: string }[] };
/** A way to perform an operation with one name in one place of its input. */
type Way = {
  readonly title: string;
  readonly place: NamedPlace;
  readonly inPath: boolean;
  readonly send: (value: string) => Promise<Refusal | undefined>;
};

const parts = (row: Route) =>
  (['params', 'query', 'body'] as const).flatMap((part) =>
    typeof row[part] === 'object' ? [{ part, places: [...placesIn(row[part])] }] : [],
  );

function waysOf(row: Route): Way[] {
  const all = parts(row);
  const plain = Object.fromEntries(all.map(({ part, places }) => [part, places[0]!.plain]));
  return all.flatMap(({ part, places }) =>
    places
      .filter(({ kind }) => kind !== undefined)
      .map((place): Way => ({
        title: `${row.method.toUpperCase()} ${row.path}: ${place.path}`,
        place,
        inPath: part === 'params',
        send: async (value) => {
          const {
            params = {},
            query = {},
            body,
          } = { ...plain, [part]: place.input(value) } as Record<string, Record<string, unknown>>;
          const target = row.path.replace(/:(\w+)/g, (_match, name: string) =>
            encodeURIComponent(String(params[name])),
          );
          const search = new URLSearchParams(
            Object.entries(query).map(([name, one]) => [name, String(one)]),
          ).toString();
          const method = row.method.toUpperCase();
          const json =
            body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
          const answer = await people.http(
            'ada',
            method,
            `${target}${search === '' ? '' : `?${search}`}`,
            row.body === 'stream' ? { body: 'x' } : json,
          );
          return answer.status < 400 ? undefined : (answer.json() as Refusal);
        },
      })),
  );
}

function waysOfMethod(method: string, schema: object): Way[] {
  const faces = {
    POST: async (params: object) =>
      (
        await people.rpc('ada').send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      ).json() as Promise<object>,
    socket: async (params: object) => socket.call(method, params) as Promise<object>,
  };
  return [...placesIn(schema)]
    .filter(({ kind }) => kind !== undefined)
    .flatMap((place) =>
      Object.entries(faces).map(([face, send]): Way => ({
        title: `${method} by ${face}: ${place.path}`,
        place,
        inPath: false,
        send: async (value) =>
          ((await send(place.input(value) as object)) as { readonly error?: { readonly data: Refusal } }).error?.data,
      })),
    );
}

const everyWay = (): Way[] => [
  ...app.rows.flatMap(waysOf),
  ...Object.entries(rpcSchemas).flatMap(([method, { params }]) => waysOfMethod(method, params)),
];

/** A bucket or key of a scope is in no question: one that cannot be in a request grants nothing. */
const waysTo = (kind: NamedPlace['kind']) =>
  everyWay().filter(
    ({ place: { kind: of, path: at } }) => of === kind && (kind === 'provider' || !at.startsWith('scope.')),
  );

const BAD = {
  provider: [
    'main/files',
    'main%2Ffiles',
    '/main',
    '',
    '..',
    'ma in',
    'main\n',
    'x'.repeat(64),
    'session',
    'apiKey',
    'person',
  ],
  bucket: ['files/open', 'files%2Fopen', '', '.', '..', 'FILES', 'fi\0les'],
  key: ['', 'x'.repeat(1_025), 'ö'.repeat(513)],
} as const;
/** Names that are as good as any other. */
const ODD = {
  provider: [],
  bucket: ['session', 'person'],
  key: ['open/a', 'open%2Fa', '%2F', '/', '//', 'session', 'session/x', 'hr-secret/reports/2024.xlsx'],
} as const;

/** The path of a fault about the place ends with its member. A fault of one of several keys may name no number, and a wrong selector is not looked into. */
function faultOf({ path: at }: NamedPlace): RegExp {
  const [, above = '', member = ''] = /^(.*?)\.?(\w+?)(?:\.0)?$/.exec(at)!;
  const written = { keys: 'keys?', prefixes: 'prefix(es)?', name: '(name|bucket)' }[member] ?? member;
  return new RegExp(`\\b${written}(\\.0)?$${above.includes('resources') ? `|\\b${above}$` : ''}`);
}

describe('the activity of an object', () => {
  it('is denied to whom policy denies the object, however its provider is written', async () => {
    const activity = (provider: string, bucket: string, key: string) =>
      `/api/providers/${provider}/buckets/${bucket}/object/activity?key=${encodeURIComponent(key)}`;
    await people.http('ada', 'GET', '/api/providers/main/buckets/hr-secret/object?key=reports/2024.xlsx');
    await linesNow();
    expect((await people.http('ada', 'GET', activity('main', 'hr-secret', 'reports/2024.xlsx'))).text()).toContain(
      'Ada Admin',
    );
    const cookie = `svc_session=${(await app.signIn('vic')).cookie(app.origin, 'svc_session')!}`;
    const answers = [
      await people.http('vic', 'GET', activity('main', 'hr-secret', 'reports/2024.xlsx'), { headers: { cookie } }),
      await people.http('vic', 'GET', activity('main%2Fhr-secret', 'reports', '2024.xlsx'), { headers: { cookie } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 400]);
    const byKey = { provider: 'main/hr-secret', bucket: 'reports', key: '2024.xlsx' };
    expect((await people.rpc('key').fails('object/activity', byKey)).data).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'params.provider' }],
    });
  });
});

describe('a name in a request', () => {
  it('is found in every place of every operation', () => {
    const titles = everyWay().map(({ title }) => title);
    // The generation of requests sees what is deep in an input, in lists and in alternatives.
    for (const one of [
      'PUT /api/providers/:provider/buckets/:bucket/object: provider',
      'POST /api/providers/:provider/buckets/:bucket/objects/copy: to.provider',
      'POST /api/admin/explain: provider',
      'GET /api/admin/who: provider',
      'object/delete by socket: keys.0',
      'apiKey/create by POST: scope.rules.0.resources.0.provider',
    ])
      expect(titles).toContain(one);
    const operations = new Set(
      app.rows.filter(({ path: at }) => at.includes(':provider')).map(({ operation }) => operation),
    );
    expect(operations.size).toBeGreaterThan(15);
  });

  it.each(['provider', 'bucket', 'key'] as const)(
    'that is no %s is 400 before policy and storage, on every face, and the audit names nothing',
    async (kind) => {
      const before = (await linesNow()).length;
      let sent = 0;
      for (const { title, place, inPath, send } of waysTo(kind)) {
        for (const value of BAD[kind].filter((one) => !(one === '' && place.mayBeEmpty))) {
          app.storageCalls.reset();
          const refusal = await send(value);
          sent += 1;
          // A path with an empty segment is the path of no route.
          const empty = inPath && value === '';
          expect([title, value, refusal?.code]).toEqual([title, value, empty ? 'not_found' : 'invalid_request']);
          if (!empty)
            expect([title, value, refusal?.errors?.[0]?.path]).toEqual([
              title,
              value,
              expect.stringMatching(faultOf(place)),
            ]);
          expect([title, value, app.storageCalls.calls]).toEqual([title, value, []]);
        }
      }
      expect(sent).toBeGreaterThan(100);
      const lines = (await linesNow()).slice(before, -2);
      expect(lines.filter(({ resources }) => resources.length > 0)).toEqual([]);
    },
  );

  it.each(['bucket', 'key'] as const)('that is an odd %s stays whole in the audit', async (kind) => {
    const before = (await linesNow()).length;
    const ways = waysTo(kind);
    for (const { send } of ways) for (const value of ODD[kind]) await send(value);
    const entries = (await linesNow()).slice(before, -2).flatMap(({ resources }) => resources);
    const usual = { provider: ['main'], bucket: ['files', 'last', undefined], key: ['open/a', '', undefined] };
    const whole: typeof usual = { ...usual, [kind]: [...usual[kind], ...ODD[kind]] };
    const places = entries
      .filter(({ provider }) => provider !== undefined)
      .map(({ provider, bucket, key, prefix }) => ({ provider, bucket, key: key ?? prefix }));
    expect(
      places.filter(
        (one) =>
          !whole.provider.includes(one.provider!) || !whole.bucket.includes(one.bucket) || !whole.key.includes(one.key),
      ),
    ).toEqual([]);
    for (const value of ODD[kind])
      expect([value, places.filter((one) => one[kind] === value).length > 20]).toEqual([value, true]);
  });
});
