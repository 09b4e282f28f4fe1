import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONFIG, startApp, type TestApp } from '../support/app.ts';
import { rawRequest } from '../support/raw-request.ts';

let app: TestApp;
const cookies = new Map<string, string>();
beforeAll(async () => {
  app = await startApp({
    config: (config) => ({ ...config, bindings: [...CONFIG.bindings, { subjects: ['pia'], policies: ['photos'] }] }),
  });
  for (const account of ['ada', 'dan', 'eve'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
});
afterAll(() => app.close());

async function explain(question: object, as = 'ada') {
  const headers = { cookie: `svc_session=${cookies.get(as)!}`, 'content-type': 'application/json' };
  const answer = await rawRequest(app.origin, '/api/admin/explain', {
    method: 'POST',
    headers,
    body: JSON.stringify(question),
  });
  return {
    status: answer.status,
    body: answer.json() as Record<string, unknown> & {
      answers: {
        action: string;
        allowed: boolean;
        unnamed?: boolean;
        somewhere?: boolean;
        reason: string;
        matches: { effect: string; policy: string; rule: number; resource: unknown }[];
      }[];
    },
  };
}

describe('POST /api/admin/explain', () => {
  it('names the roles and policies that somebody holds, and each rule that has a say', async () => {
    const { status, body } = await explain({
      groups: ['team'],
      action: 'objects:get',
      provider: 'main',
      bucket: 'files',
      key: 'secret/plan.txt',
    });
    expect([status, body['allowed'], body.answers[0]?.reason]).toEqual([200, false, 'explicit_deny']);
    expect(body.answers[0]?.matches.map(({ effect }) => effect)).toEqual(['allow', 'deny']);
    expect(body.answers[0]?.matches[1]).toMatchObject({
      resource: { type: 'prefix', provider: 'main', bucket: 'files', prefix: 'secret/' },
    });
  });

  it('says the same as the service itself, to the person that it is about', async () => {
    for (const [account, groups] of [
      ['dan', ['team']],
      ['eve', ['editors']],
    ] as const) {
      for (const key of ['report.txt', 'secret/plan.txt']) {
        const { body } = await explain({
          subject: account,
          groups,
          action: 'objects:get',
          provider: 'main',
          bucket: 'files',
          key,
        });
        const asked = await rawRequest(
          app.origin,
          `/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`,
          { headers: { cookie: `svc_session=${cookies.get(account)!}` } },
        );
        expect([account, key, body['allowed']]).toEqual([account, key, asked.status !== 403]);
      }
    }
  });

  it('answers for each action that a name stands for', async () => {
    const { body } = await explain({
      groups: ['viewers'],
      action: 'objects:read',
      provider: 'main',
      bucket: 'files',
      key: 'a',
    });
    expect(body.answers.map(({ allowed }) => allowed)).toEqual([true, true]);
  });

  it('takes a person without an issuer for one of the administrator’s own provider', async () => {
    const question = { subject: 'pia', action: 'objects:list', provider: 'main', bucket: 'photos', key: '2025/a.jpg' };
    const [own, foreign] = [
      await explain(question),
      await explain({ ...question, issuer: 'https://elsewhere.example' }),
    ];
    expect([own.body['policies'], foreign.body['policies']]).toEqual([['photos'], []]);
  });

  it('asks for neither bucket nor key where the action is about a provider', async () => {
    const { status, body } = await explain({ groups: ['viewers'], action: 'providers:list', provider: 'main' });
    expect([status, body['allowed']]).toEqual([200, true]);
  });

  it('asks for the bucket or the key where the action needs one', async () => {
    for (const [question, path] of [
      [{ action: 'buckets:create' }, 'bucket'],
      [{ action: 'objects:get', bucket: 'files' }, 'key'],
      [{ action: 'objects:get', bucket: 'No Bucket', key: 'x' }, 'bucket'],
      [{ action: 'objects:fetch' }, 'body.action'],
    ] as const) {
      const { status, body } = await explain({ ...question, provider: 'main' });
      expect([status, body['errors']]).toEqual([400, [expect.objectContaining({ path })]]);
    }
  });

  it('answers for every action where none is named: on the place itself, or on what no rule names in it', async () => {
    const allowedIn = async (place: object) => {
      const { status, body } = await explain({ groups: ['team'], provider: 'main', ...place });
      expect(status).toBe(200);
      return Object.fromEntries(
        body.answers.map(({ action, allowed, unnamed, somewhere }) => [
          action,
          unnamed === true ? { allowed, somewhere } : allowed,
        ]),
      );
    };
    const [no, some] = [
      { allowed: false, somewhere: false },
      { allowed: false, somewhere: true },
    ];
    const yes = { allowed: true, somewhere: true };
    const ofBuckets = { 'buckets:list': true, 'buckets:create': false, 'buckets:delete': false };
    const objects = (answer: unknown) =>
      Object.fromEntries(['list', 'get', 'write', 'delete', 'presign'].map((verb) => [`objects:${verb}`, answer]));
    const versions = (answer: unknown) =>
      Object.fromEntries(['versions', 'restore', 'purge'].map((verb) => [`objects:${verb}`, answer]));
    expect(await allowedIn({})).toEqual({
      'providers:list': true,
      'buckets:list': some,
      'buckets:create': no,
      'buckets:delete': no,
      ...objects(some),
      ...versions(no),
    });
    expect(await allowedIn({ bucket: 'files' })).toEqual({
      'providers:list': true,
      ...ofBuckets,
      ...objects(yes),
      ...versions(no),
    });
    expect(await allowedIn({ bucket: 'files', prefix: 'secret/' })).toEqual({
      'providers:list': true,
      ...ofBuckets,
      ...objects(no),
      ...versions(no),
    });
    expect(await allowedIn({ bucket: 'files', prefix: 'sec' })).toEqual({
      'providers:list': true,
      ...ofBuckets,
      ...objects(yes),
      ...versions(no),
    });
    expect(await allowedIn({ bucket: 'files', key: 'listed only.txt' })).toEqual({
      'providers:list': true,
      ...ofBuckets,
      ...objects(true),
      ...versions(false),
      'objects:get': false,
    });
    expect((await explain({ provider: 'main', bucket: 'files', prefix: 'a', key: 'a' })).status).toBe(400);
    const { body } = await explain({ groups: ['team'], provider: 'main', bucket: 'files', prefix: 'secret/new/' });
    expect(
      body.answers
        .find(({ action }) => action === 'objects:presign')
        ?.matches.map(({ effect, policy }) => [effect, policy]),
    ).toEqual([
      ['allow', 'team'],
      ['deny', 'team'],
    ]);
  });

  it('is for the admin role', async () => {
    expect((await explain({ action: 'providers:list', provider: 'main' }, 'eve')).status).toBe(403);
  });
});
