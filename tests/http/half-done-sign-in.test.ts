import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp, type ConfigObject, type TestApp } from '../support/app.ts';
import { auditLines } from '../support/audit-cases.ts';
import { desktopAttempt, desktopCode, exchangeCode } from '../support/desktop-client.ts';
import { HostileProvider, type Misbehaviour } from '../support/hostile-provider.ts';
import { Visitor } from '../support/visitor.ts';

let app: TestApp | undefined;
let provider: HostileProvider | undefined;

afterEach(async () => {
  await app?.close();
  await provider?.close();
});

/** What the audit says of a callback to a provider that behaves like this. */
async function linesOfCallback(path: (origin: string) => string, misbehaviour: (issuer: string) => Misbehaviour) {
  provider = await HostileProvider.start();
  const { issuer } = provider;
  provider.behave(misbehaviour(issuer));
  app = await startApp({
    config: (config) => ({
      ...config,
      auth: { ...(config['auth'] as ConfigObject), oidc: { issuer, client_id: 'svc', client_secret: 'x' } },
    }),
  });
  const visitor = new Visitor();
  const begun = await visitor.request(path(app.origin));
  await visitor.request(provider.visit(begun.headers.get('location')!));
  return (await auditLines(app)).filter(({ operation }) => operation === 'login/finish');
}

const web = (origin: string) => `${origin}/api/auth/login`;
const desktop = (origin: string) => desktopAttempt(origin).authorizeUrl;
const silentOfGroups = (issuer: string): Misbehaviour => ({
  claims: ({ groups: _groups, ...right }) => ({ ...right, auth_time: right['iat'] }),
  metadata: (right) => ({ ...right, userinfo_endpoint: `${issuer}/userinfo` }),
  answers: { userinfo: (_req, res) => void res.writeHead(500).end() },
});

describe('the audit of a sign-in that comes to nothing', () => {
  it.each([
    ['web', web],
    ['desktop', desktop],
  ] as const)('names whom the provider has named, though it fails then (%s)', async (via, path) => {
    expect(await linesOfCallback(path, silentOfGroups)).toMatchObject([
      { outcome: 'failed', why: 'identity_provider_unavailable', subject: 'mallory', issuer: provider!.issuer, via },
    ]);
  });

  it('has no line where nobody knows whose it was', async () => {
    expect(
      await linesOfCallback(web, () => ({ answers: { token: (_req, res) => void res.writeHead(500).end() } })),
    ).toEqual([]);
  });

  it('names whose code it was that somebody exchanges who did not ask for it, once', async () => {
    app = await startApp();
    const attempt = desktopAttempt(app.origin);
    const code = (await desktopCode(app.origin, 'vic', attempt)).get('code')!;
    for (let i = 0; i < 3; i += 1)
      expect((await exchangeCode(app.origin, attempt, code, { code_verifier: 'x'.repeat(43) })).status).toBe(400);
    expect((await exchangeCode(app.origin, attempt, 'made up')).status).toBe(400);
    expect((await auditLines(app)).filter(({ operation }) => operation === 'login/exchange')).toMatchObject([
      { outcome: 'failed', why: 'invalid_grant', subject: 'vic', via: 'desktop' },
    ]);
  });
});
