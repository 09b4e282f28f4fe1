import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RpcMethodName } from '../../../src/wire/rpc.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  auditLines,
  HTTP_CASES,
  RPC_CASES,
  signInPeople,
  withGoneProvider,
  type Case,
  type People,
} from '../../support/audit-cases.ts';
import { desktopAttempt, desktopCode, exchangeCode } from '../../support/desktop-client.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RpcConnection } from '../../support/rpc-client.ts';
import { submitLocalUser, Visitor } from '../../support/visitor.ts';

/** `dan` may do everything with objects of `files`, but nothing beneath `secret/`; the provider `gone` cannot be reached. */
let app: TestApp;
let people: People;

beforeAll(async () => {
  app = await startApp({ config: withGoneProvider });
  people = await signInPeople(app);
});
afterAll(() => app.close());

const http: People['http'] = (...request) => people.http(...request);

async function lineOf(each: Case): Promise<void> {
  const requestId = await each.send(people);
  const lines = await auditLines(app, requestId);
  if (each.line === undefined) {
    expect(lines).toEqual([]);
    return;
  }
  expect(lines).toEqual([expect.objectContaining({ audit: true, requestId, address: '127.0.0.1', ...each.line })]);
}

describe('every row of HTTP', () => {
  describe.each(Object.entries(HTTP_CASES))('%s', (_row, cases) => {
    it.each(Object.entries(cases))('%s', (_outcome, each) => lineOf(each));
  });
});

describe('every method of RPC', () => {
  describe.each(Object.entries(RPC_CASES) as [RpcMethodName, Record<string, Case>][])('%s', (_method, cases) => {
    it.each(Object.entries(cases))('%s', (_outcome, each) => lineOf(each));
  });
});

describe('a line', () => {
  it('of a message on a socket has the address and an id of its own, as the same call by POST has', async () => {
    const socket = (await RpcConnection.open(app.origin, {
      authorization: `Bearer ${people.bearers.get('dan')!}`,
      origin: app.origin,
    })) as RpcConnection;
    for (let i = 0; i < 2; i += 1)
      await socket.call('object/delete', { provider: 'main', bucket: 'files', key: 'secret/by socket' });
    socket.socket.close();
    const lines = (await auditLines(app)).filter((line) => JSON.stringify(line).includes('secret/by socket'));
    expect(lines).toEqual(
      [1, 2].map(() =>
        expect.objectContaining({
          operation: 'object/delete',
          outcome: 'denied',
          address: '127.0.0.1',
          via: 'desktop',
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        }),
      ),
    );
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(2);
  });

  it('holds a hundred resources; a bulk delete of more has several', async () => {
    const keys = Array.from({ length: 205 }, (_, i) => `${i < 3 ? 'secret' : 'open'}/many-${i}`);
    const answer = await http('dan', 'POST', '/api/providers/main/buckets/files/objects/delete', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ keys }),
    });
    const lines = await auditLines(app, answer.headers['x-request-id'] as string);
    expect(
      lines.map(({ outcome, line, lines: of, resources }) => [outcome, line, of, (resources as unknown[]).length]),
    ).toEqual([
      ['partly', 1, 3, 100],
      ['partly', 2, 3, 100],
      ['partly', 3, 3, 5],
    ]);
    const resources = lines.flatMap(
      (line) => line['resources'] as { provider: string; bucket: string; key: string; outcome: string }[],
    );
    expect(resources.map(({ provider, bucket, key }) => ({ provider, bucket, key }))).toEqual(
      keys.map((key) => ({ provider: 'main', bucket: 'files', key })),
    );
    expect(resources.filter(({ outcome }) => outcome === 'denied').length).toBe(3);
  });

  it('of a key that storage would not delete says so, beside those that are gone', async () => {
    app.storageCalls.spoil = (call) => (call.includes('delete') ? 'busy' : undefined);
    const answer = await http('dan', 'POST', '/api/providers/main/buckets/files/objects/delete', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ keys: ['secret/x', 'open/x'] }),
    });
    app.storageCalls.spoil = undefined;
    const [line] = await auditLines(app, answer.headers['x-request-id'] as string);
    expect(line).toMatchObject({
      outcome: 'failed',
      resources: [
        { provider: 'main', bucket: 'files', key: 'secret/x', outcome: 'denied', why: 'explicit_deny' },
        { provider: 'main', bucket: 'files', key: 'open/x', outcome: 'failed' },
      ],
    });
  });

  it('is not written for somebody who is not signed in', async () => {
    const answer = await rawRequest(app.origin, '/api/providers/main/buckets/files', { method: 'DELETE' });
    expect([answer.status, await auditLines(app, answer.headers['x-request-id'] as string)]).toEqual([401, []]);
  });

  it.each(['/api/auth/login', '/v1/auth/authorize'])(
    'of a local user at %s names the person and the session, and there is none of somebody who is no local user',
    async (path) => {
      const local = await startApp({
        config: (config) => ({
          ...config,
          auth: {
            ...(config['auth'] as object),
            oidc: undefined,
            local_users: [{ subject: 'boss', roles: ['admin'] }],
          },
        }),
      });
      try {
        const visitor = new Visitor();
        const lines = [];
        for (const subject of ['boss', 'somebody']) {
          const answer = await submitLocalUser(await visitor.request(`${local.origin}${path}`), {
            subject,
            visitor,
            headers: { origin: local.origin },
          });
          lines.push(...(await auditLines(local, answer.headers.get('x-request-id')!)));
        }
        expect(lines).toEqual([
          expect.objectContaining({
            operation: 'login/local',
            outcome: 'done',
            subject: 'boss',
            via: 'web',
            address: '127.0.0.1',
            resources: [
              expect.objectContaining({
                session: expect.stringMatching(/./),
                outcome: 'done',
                of: expect.objectContaining({ subject: 'boss' }),
              }),
            ],
          }),
        ]);
      } finally {
        await local.close();
      }
    },
  );

  it('of a desktop sign-in names the person at both ends, and the session once it is there', async () => {
    const attempt = desktopAttempt(app.origin);
    const before = (await auditLines(app)).length;
    const code = (await desktopCode(app.origin, 'ada', attempt)).get('code')!;
    await exchangeCode(app.origin, attempt, code);
    await exchangeCode(app.origin, attempt, code);
    const lines = (await auditLines(app)).slice(before);
    expect(lines).toMatchObject([
      { operation: 'login/finish', outcome: 'done', subject: 'ada', via: 'desktop', resources: [] },
      {
        operation: 'login/exchange',
        outcome: 'done',
        subject: 'ada',
        via: 'desktop',
        resources: [{ session: expect.stringMatching(/./), of: { subject: 'ada' } }],
      },
      { operation: 'login/exchange', outcome: 'failed', why: 'invalid_grant', via: 'unknown' },
    ]);
  });
});
