import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS, CONFIG, finishSignIn, SESSION_SECRET } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { startIdentityProvider, type IdentityProvider } from '../../support/identity-provider.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RpcClient, RpcConnection } from '../../support/rpc-client.ts';
import { Visitor } from '../../support/visitor.ts';
import { Machine, type Started } from '../../cli/svc-process.ts';

let machine: Machine;
let idp: IdentityProvider;
const services: Started[] = [];
beforeAll(async () => {
  machine = await Machine.make();
  idp = await startIdentityProvider({ accounts: ACCOUNTS });
});
afterAll(async () => {
  for (const { child, ended } of services) {
    child.kill('SIGTERM');
    await ended;
  }
  await idp.close();
  await machine.remove();
});

const oidc = (more: object = {}) => ({ issuer: idp.issuer, client_id: 'svc', client_secret: 'secret', ...more });
const register = (uri: string) =>
  idp.register({
    client_id: 'svc',
    client_secret: 'secret',
    redirect_uris: [uri],
    grant_types: ['authorization_code'],
    response_types: ['code'],
  });

/** `svc serve`, and the address that it says it listens on. */
async function serve(
  config: Readonly<Record<string, unknown>>,
  ...args: readonly string[]
): Promise<{ readonly origin: string; readonly service: Started }> {
  await writeFile(join(machine.home, 'svc.config.yaml'), JSON.stringify({ ...CONFIG, providers: [], ...config }));
  const service = machine.start(['serve', ...args], { SVC_SESSION_SECRET: SESSION_SECRET });
  services.push(service);
  const [, origin = ''] = await service.stdoutHas(/svc listens on (http\S+)\n/);
  expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  return { origin, service };
}

/** What people are told to open, and administrators to register. */
async function named({ stdoutHas }: Started): Promise<string[]> {
  return (await stdoutHas(/people open (\S+)\n.*redirect URI.*: (\S+)\n/)).slice(1);
}

const meOf = async (visitor: Visitor, origin: string) =>
  (await visitor.request(`${origin}/api/auth/me`)).json() as Promise<unknown>;

describe('svc serve with port 0', () => {
  it('signs people in on the port that it got, and names it wherever it names itself', async () => {
    const { origin, service } = await serve({ server: { port: 0 }, auth: { enabled: true, oidc: oidc() } });
    expect(await named(service)).toEqual([`${origin}/`, `${origin}/v1/auth/callback`]);
    register(`${origin}/v1/auth/callback`);

    const visitor = new Visitor();
    const done = await finishSignIn(`${origin}/api/auth/login?return_to=/main`, 'ada', visitor);
    expect([new URL(done.url).origin, done.status, done.headers.get('location')]).toEqual([origin, 303, '/main']);
    expect(await meOf(visitor, origin)).toMatchObject({ authenticated: true, subject: 'ada' });

    const cookie = `svc_session=${visitor.cookie(origin, 'svc_session')!}`;
    expect(await RpcConnection.open(origin, { cookie, origin: 'http://127.0.0.1:0' })).toBe(403);
    const connection = await RpcConnection.open(origin, { cookie, origin });
    if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
    connection.socket.close();

    const { access_token: token } = await signInDesktop({ origin }, 'ada');
    const ticket = await RpcClient.bearer(origin, token).call('transfer/create', {
      direction: 'download',
      provider: 'main',
      bucket: 'files',
      key: 'x',
    });
    expect(ticket.url).toMatch(new RegExp(`^${origin}/v1/transfers/`));

    const left = await visitor.request(`${origin}/v1/auth/logout`, { method: 'POST', headers: { origin } });
    const { endSessionUrl } = (await left.json()) as { endSessionUrl: string };
    expect(new URL(endSessionUrl).searchParams.get('post_logout_redirect_uri')).toBe(`${origin}/`);
  });

  it('puts the port into configured addresses that name port 0, and into no other', async () => {
    const given = oidc({
      redirect_uri: 'http://127.0.0.1:0/files/api/auth/callback',
      post_logout_redirect_uri: 'http://127.0.0.1:4711/bye',
    });
    const { origin, service } = await serve(
      { server: { base_path: '/files' }, auth: { enabled: true, public_origin: 'http://127.0.0.1:0', oidc: given } },
      '--port',
      '0',
    );
    expect(await named(service)).toEqual([`${origin}/files/`, `${origin}/files/api/auth/callback`]);
    register(`${origin}/files/api/auth/callback`);
    const visitor = new Visitor();
    expect((await finishSignIn(`${origin}/files/api/auth/login`, 'vic', visitor)).headers.get('location')).toBe(
      '/files/',
    );
    expect(await meOf(visitor, `${origin}/files`)).toMatchObject({ authenticated: true, subject: 'vic' });
    const left = await visitor.request(`${origin}/files/api/auth/logout`);
    expect(new URL(left.headers.get('location')!).searchParams.get('post_logout_redirect_uri')).toBe(
      'http://127.0.0.1:4711/bye',
    );
  });

  it('answers without sign-in, at the port that it got alone', async () => {
    const { origin } = await serve({ server: { port: 0 }, auth: { enabled: false } });
    const { host, port } = new URL(origin);
    for (const headers of [
      { host },
      { host, origin },
      { host: `localhost:${port}`, origin: `http://localhost:${port}` },
    ]) {
      expect([headers, (await rawRequest(origin, '/api/providers', { headers })).status]).toEqual([headers, 200]);
    }
    for (const headers of [
      { host: '127.0.0.1:0' },
      { host: `evil.example:${port}` },
      { host, origin: 'http://127.0.0.1:0' },
    ]) {
      expect([headers, (await rawRequest(origin, '/api/providers', { headers })).status]).toEqual([headers, 403]);
    }
  });
});
