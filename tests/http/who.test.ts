import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationOutput } from '../../src/wire/operations.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { needsOneProcess } from '../support/one-process.ts';
import { rawRequest } from '../support/raw-request.ts';
import { RpcClient } from '../support/rpc-client.ts';

type Answer = OperationOutput<'policy/who'>;

let app: TestApp;
/** How far the clock of the service is ahead. */
let ahead = 0;
const cookies = new Map<string, string>();
beforeAll(async () => {
  app = await startApp({ now: () => Date.now() + ahead });
  for (const account of ['ada', 'dan', 'eve'])
    cookies.set(account, (await app.signIn(account)).cookie(app.origin, 'svc_session')!);
});
afterAll(() => app.close());

async function who(question: Record<string, string>, as = 'ada') {
  const answer = await rawRequest(app.origin, `/api/admin/who?${new URLSearchParams(question).toString()}`, {
    headers: { cookie: `svc_session=${cookies.get(as)!}` },
  });
  return { status: answer.status, body: answer.json() as Answer & { readonly errors?: unknown } };
}

describe('GET /api/admin/who', () => {
  it('names groups with their rules and bindings, and says the same as the service itself', async () => {
    for (const key of ['report.txt', 'secret/plan.txt']) {
      const { status, body } = await who({ action: 'objects:get', provider: 'main', bucket: 'files', key });
      expect([status, body.answers[0]?.everybody, body.answers[0]?.unnamed]).toEqual([200, false, false]);
      for (const [account, groups] of [
        ['dan', ['team']],
        ['eve', ['editors']],
      ] as const) {
        const outcomes = body.answers[0]!.holders.filter(
          ({ group, subject }) => subject === account || groups.some((name) => name === group),
        ).map(({ outcome }) => outcome);
        const asked = await rawRequest(
          app.origin,
          `/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`,
          { headers: { cookie: `svc_session=${cookies.get(account)!}` } },
        );
        expect([account, key, outcomes.includes('allowed') && !outcomes.includes('denied')]).toEqual([
          account,
          key,
          asked.status !== 403,
        ]);
      }
    }
  });

  it('names the binding, its role, and the rule', async () => {
    const { body } = await who({ action: 'objects:get', provider: 'main', bucket: 'files', key: 'secret/plan.txt' });
    const team = body.answers[0]!.holders.find(({ group }) => group === 'team');
    expect(team).toMatchObject({
      outcome: 'denied',
      local: false,
      rules: expect.arrayContaining([
        expect.objectContaining({
          effect: 'deny',
          resource: { type: 'prefix', provider: 'main', bucket: 'files', prefix: 'secret/' },
          by: [expect.objectContaining({ from: 'binding', place: expect.any(Number) })],
        }),
      ]),
    });
  });

  it('answers for a new object in a folder, and for each action that a name stands for', async () => {
    const { body } = await who({ action: 'objects:read', provider: 'main', bucket: 'files', prefix: 'secret/' });
    expect(body.answers.map(({ action, unnamed }) => [action, unnamed])).toEqual([
      ['objects:list', true],
      ['objects:get', true],
    ]);
  });

  it('names the keys of both kinds whose creator and whose scope may, in the first page', async () => {
    needsOneProcess('the test moves the clock');
    const eve = new RpcClient(app.origin, { cookie: `svc_session=${cookies.get('eve')!}`, origin: app.origin });
    const rules = [{ actions: ['objects:get' as const], resources: [{ type: 'provider' as const, provider: 'main' }] }];
    const api = await eve.call('apiKey/create', { description: 'nightly', scope: { rules } });
    const s3 = await eve.call('s3Key/create', { provider: 'main', description: 'laptop' });
    await eve.call('apiKey/create', {
      description: 'ended',
      scope: { rules },
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    ahead = 120_000;
    const asked = { provider: 'main', bucket: 'files', prefix: '' };
    const named = async (question: Record<string, string>) =>
      (await who(question)).body.answers.map(({ action, keys }) => [action, keys.map(({ kind, id }) => [kind, id])]);
    const [apiKey, s3Key] = [
      ['apiKey', api.key.id],
      ['s3Key', s3.key.accessKeyId],
    ];
    expect(await named({ ...asked, action: 'objects:read' })).toEqual([
      ['objects:list', [s3Key]],
      ['objects:get', [apiKey, s3Key]],
    ]);
    // Eve is in no group that may purge, so her S3 key for everything may not either.
    expect(await named({ ...asked, action: 'objects:purge' })).toEqual([['objects:purge', []]]);
    const { body } = await who({ ...asked, action: 'objects:get', limit: '1' });
    const next = await who({
      ...asked,
      action: 'objects:get',
      cursor: (body as unknown as { readonly next_cursor: string }).next_cursor,
    });
    expect(next.body.answers.map(({ keys }) => keys)).toEqual([[]]);
  });

  it('tells the same in pages, and refuses a cursor that it did not give for the present policies', async () => {
    const question = { action: 'objects:read', provider: 'main', bucket: 'files', prefix: '' };
    const whole = (await who(question)).body;
    const pages: (typeof whole)[] = [];
    let cursor: string | null = '';
    for (; cursor !== null; cursor = (pages.at(-1) as { next_cursor?: string | null }).next_cursor ?? null) {
      const { status, body } = await who({ ...question, limit: '1', ...(cursor !== '' && { cursor }) });
      expect(status).toBe(200);
      pages.push(body);
    }
    expect(pages.length).toBeGreaterThan(1);
    for (const i of [0, 1])
      expect(pages.flatMap(({ answers }) => answers[i]!.holders)).toEqual(whole.answers[i]!.holders);
    for (const wrong of ['x', '0123456789ab.1'])
      expect(await who({ ...question, cursor: wrong })).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'cursor' }] },
      });
  });

  it('asks for what the action needs, and refuses others', async () => {
    expect(await who({ action: 'objects:get', provider: 'main', bucket: 'files' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'key' }] },
    });
    expect((await who({ provider: 'main' })).status).toBe(400);
    expect((await who({ action: 'providers:list', provider: 'main' }, 'dan')).status).toBe(403);
  });
});
