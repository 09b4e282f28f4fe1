import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { View } from '../../src/wire/http.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw-request.ts';

let app: TestApp;
const cookies = new Map<string, string>();
beforeAll(async () => {
  app = await startApp({
    config: (config) => ({
      ...config,
      providers: (config['providers'] as object[]).map((provider) => ({
        ...provider,
        buckets: ['files', 'photos', 'shelf'],
      })),
    }),
  });
  for (const account of ['ada', 'dan', 'pia'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
});
afterAll(() => app.close());

const as = (account: string) => ({
  cookie: `svc_session=${cookies.get(account)!}`,
  'content-type': 'application/json',
});

async function view(person: object, account = 'ada') {
  const answer = await rawRequest(app.origin, '/api/admin/view-as', {
    method: 'POST',
    headers: as(account),
    body: JSON.stringify(person),
  });
  return { status: answer.status, body: answer.json() as View };
}

async function permissions(account: string, path: string) {
  return (await rawRequest(app.origin, `/api/providers/main${path}`, { headers: as(account) })).json();
}

describe('POST /api/admin/view-as', () => {
  it('answers what the service tells the person, and asks storage nothing', async () => {
    const before = app.storageCalls.calls.length;
    for (const [subject, groups] of [
      ['dan', ['team']],
      ['pia', ['photographers']],
    ] as const) {
      const { status, body } = await view({ subject, groups });
      expect([status, body.admin, body.providers.length]).toEqual([200, false, 1]);
      const [main] = body.providers;
      expect({ actions: main!.actions }).toEqual(await permissions(subject, '/permissions'));
      for (const { name, actions, here, places } of main!.buckets) {
        expect({ actions, here }).toEqual(await permissions(subject, `/buckets/${name}/permissions?prefix=`));
        for (const { prefix, key, actions: there, here: inIt } of places) {
          const query =
            prefix === undefined ? `key=${encodeURIComponent(key!)}` : `prefix=${encodeURIComponent(prefix)}`;
          const told = (await permissions(subject, `/buckets/${name}/permissions?${query}`)) as {
            actions: string[];
            here?: string[];
          };
          expect({ actions: there, here: inIt }).toEqual({
            actions: told.actions.filter((action) => action.startsWith('objects:')),
            here: told.here,
          });
        }
      }
    }
    expect(app.storageCalls.calls.length).toBe(before);
  });

  it('names the buckets of the configuration and of policies that the person sees, and no others', async () => {
    const seen = async (person: object) =>
      (await view(person)).body.providers.flatMap(({ buckets }) =>
        buckets.map(({ name, listed, places }) => [name, listed, places.map(({ prefix, key }) => prefix ?? key)]),
      );
    expect(await seen({ subject: 'x', groups: ['viewers'] })).toEqual([
      ['files', true, ['secret/', 'listed only.txt']],
      ['photos', true, ['2025/']],
      ['shelf', true, []],
    ]);
    expect(await seen({ subject: 'x', groups: ['team'] })).toEqual([['files', true, ['listed only.txt']]]);
    expect(await seen({ subject: 'x' })).toEqual([]);
    expect((await view({ subject: 'x' })).body.providers).toEqual([]);
    expect((await view({ subject: 'x', groups: ['admins'] })).body).toMatchObject({ admin: true, roles: ['admin'] });
  });

  it.each(['<script>alert(1)</script>', 'a\u202Efdp.exe', 'x'.repeat(512), '__proto__', ' '])(
    'takes the subject %j as it is',
    async (subject) => {
      expect(await view({ subject, groups: [subject.slice(0, 255)] })).toMatchObject({
        status: 200,
        body: { providers: [], roles: [] },
      });
    },
  );

  it('refuses others, and what is no person', async () => {
    expect((await view({ subject: 'ada' }, 'dan')).status).toBe(403);
    for (const person of [
      {},
      { subject: 'x'.repeat(1_025) },
      { subject: 'x', groups: Array.from({ length: 201 }, () => 'g') },
    ])
      expect((await view(person)).status).toBe(400);
  });
});
