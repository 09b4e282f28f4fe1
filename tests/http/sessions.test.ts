import { afterEach, describe, expect, it } from '@jest/globals';
import type { SessionList } from '../../src/wire/http.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { submitLocalUser, Visitor } from '../support/visitor.ts';

let app: TestApp;
afterEach(() => app.close());

const LOCAL_USERS = [
  { subject: 'boss', roles: ['admin'] },
  { subject: 'vic', roles: ['viewer'] },
];

async function start(server: object): Promise<void> {
  app = await startApp({
    config: (config) => ({
      ...config,
      server: { ...(config['server'] as object), ...server },
      auth: { ...(config['auth'] as object), oidc: undefined, local_users: LOCAL_USERS },
    }),
  });
}

async function signIn(subject: string, headers: Record<string, string> = {}): Promise<Visitor> {
  const visitor = new Visitor();
  await submitLocalUser(await visitor.request(`${app.origin}/api/auth/login`), {
    subject,
    visitor,
    headers: { origin: app.origin, ...headers },
  });
  return visitor;
}

async function sessionsAs(admin: Visitor): Promise<SessionList> {
  return (await (await admin.request(`${app.origin}/api/admin/sessions`)).json()) as SessionList;
}

const addressOf = async (subject: string, admin: Visitor) =>
  (await sessionsAs(admin)).sessions.find((session) => session.subject === subject)!.address;

describe('GET /api/admin/sessions', () => {
  it('shows the address of the connection, whatever the client says its address is', async () => {
    await start({});
    await signIn('vic', { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' });
    expect(await addressOf('vic', await signIn('boss'))).toBe('127.0.0.1');
  });

  it('shows the address that a trusted proxy saw, and not the one that the client sent to the proxy', async () => {
    await start({ trusted_proxies: ['127.0.0.1'] });
    await signIn('vic', { 'x-forwarded-for': '10.6.6.6, 203.0.113.9:49152' });
    expect(await addressOf('vic', await signIn('boss'))).toBe('203.0.113.9');
  });
});

describe('POST /api/admin/sessions/revoke', () => {
  it("ends every session of one person at once, and nobody else's", async () => {
    await start({});
    const admin = await signIn('boss');
    const [one, two] = [await signIn('vic'), await signIn('vic')];
    const { issuer } = (await sessionsAs(admin)).sessions[0]!;
    const revoke = (given: object) =>
      admin.request(`${app.origin}/api/admin/sessions/revoke`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
    expect(await (await revoke({ issuer: 'https://elsewhere.example', subject: 'vic' })).json()).toEqual({
      revoked: 0,
    });
    expect(await (await revoke({ issuer, subject: 'vic' })).json()).toEqual({ revoked: 2 });
    for (const visitor of [one, two])
      expect(
        (await visitor.request(`${app.origin}/api/providers`, { headers: { accept: 'application/json' } })).status,
      ).toBe(401);
    expect((await sessionsAs(admin)).sessions.map(({ subject, current }) => [subject, current])).toEqual([
      ['boss', true],
    ]);
  });
});
