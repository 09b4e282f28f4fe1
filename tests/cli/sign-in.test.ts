import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { desktopRedirect } from './desktop-sign-in.ts';
import { submitLocalUser, Visitor } from '../support/visitor.ts';
import { Machine } from './svc-process.ts';

let app: TestApp;
let machine: Machine;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  machine = await Machine.make();
});
afterEach(() => machine.remove());

const credentialsFile = () => join(machine.home, 'config/svc/credentials.json');

describe('svc login', () => {
  it('signs in through the browser and remembers server and session', async () => {
    const { status, stdout } = await machine.login(app.origin, 'ada');
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`signed in at ${app.origin} as Ada Admin (ada)`),
    });

    const who = await machine.svc('whoami', '--json');
    expect(who.status).toBe(0);
    expect(JSON.parse(who.stdout)).toMatchObject({
      server: app.origin,
      subject: 'ada',
      groups: ['admins'],
      kind: 'desktop',
    });
  });

  it('keeps the session in a file that only its owner can read, and prints it nowhere', async () => {
    const { stdout, stderr } = await machine.login(app.origin, 'ada');
    expect((await stat(credentialsFile())).mode & 0o777).toBe(0o600);
    const { credentials } = JSON.parse(await readFile(credentialsFile(), 'utf8')) as {
      credentials: Record<string, string>;
    };
    expect(credentials[app.origin]).toMatch(/^\S{32,}$/);
    expect(stdout + stderr).not.toContain(credentials[app.origin]);
  });

  it('goes on waiting when another page calls with a foreign state', async () => {
    const started = machine.start(['login', '--no-browser', '--server', app.origin]);
    const [url = ''] = await started.stderrHas(/http:\/\/\S+authorize\S+/);
    const redirect = await desktopRedirect(url, 'vic');
    const foreign = new URL(redirect);
    foreign.searchParams.set('state', 'x'.repeat(32));
    expect((await fetch(foreign)).status).toBe(400);
    expect((await fetch(new URL('/other', redirect))).status).toBe(404);
    expect((await fetch(redirect)).status).toBe(200);
    expect(await started.ended).toMatchObject({ status: 0, stdout: expect.stringContaining('vic') });
  });

  it('ends with 3 when the person cancels at the provider', async () => {
    const { status, stderr } = await machine.login(app.origin, 'cancel');
    expect({ status, stderr }).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('the sign-in was not completed'),
    });
  });

  it('ends with 1 when nobody comes in time', async () => {
    const { status, stderr } = await machine.svc('login', '--no-browser', '--timeout', '1s', '--server', app.origin);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nobody signed in in time'),
    });
  });

  it('ends with 2 before it sends a session over an open network', async () => {
    expect(await machine.svc('login', '--server', 'http://files.example.com')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('https://'),
    });
  });
});

describe('svc login without an identity provider', () => {
  let local: TestApp;
  beforeAll(async () => {
    local = await startApp({
      config: ({ auth, ...rest }) => ({
        ...rest,
        auth: {
          ...(auth as object),
          oidc: undefined,
          local_users: [
            { subject: 'boss', roles: ['admin'] },
            { subject: 'guest', roles: ['viewer'] },
          ],
        },
      }),
    });
  });
  afterAll(() => local.close());

  it('signs in as the local user that is chosen in the browser, and signs out', async () => {
    const started = machine.start(['login', '--no-browser', '--server', local.origin]);
    const [url = ''] = await started.stderrHas(/http:\/\/\S+authorize\S+/);
    const visitor = new Visitor();
    const chosen = await submitLocalUser(await visitor.request(url), {
      subject: 'boss',
      visitor,
      headers: { origin: local.origin },
    });
    expect((await fetch(chosen.headers.get('location')!)).status).toBe(200);
    expect(await started.ended).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`signed in at ${local.origin} as boss`),
    });

    const who = await machine.svc('whoami', '--json');
    expect(JSON.parse(who.stdout)).toMatchObject({
      server: local.origin,
      subject: 'boss',
      groups: [],
      kind: 'desktop',
    });
    expect(await machine.svc('logout', '--no-browser')).toMatchObject({ status: 0 });
    expect(await machine.svc('whoami')).toMatchObject({ status: 4 });
  });
});

describe('svc logout', () => {
  it('ends the session on the server, forgets it here and prints where to sign out at the provider', async () => {
    await machine.login(app.origin, 'ada');
    const { credentials } = JSON.parse(await readFile(credentialsFile(), 'utf8')) as {
      credentials: Record<string, string>;
    };
    const credential = credentials[app.origin] ?? '';

    const { status, stdout } = await machine.svc('logout', '--no-browser', '--json');
    expect(status).toBe(0);
    const said = JSON.parse(stdout) as { signedOut: boolean; endSessionUrl: string };
    expect(said.signedOut).toBe(true);
    expect(said.endSessionUrl).toMatch(new RegExp(`^${app.issuer}/`));
    expect(await readFile(credentialsFile(), 'utf8')).not.toContain(credential);
    expect(await machine.start(['whoami'], { SVC_CREDENTIAL: credential }).ended).toMatchObject({ status: 4 });
  });

  it('is fine with nobody signed in', async () => {
    expect(await machine.svc('logout', '--server', app.origin)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('nobody is signed in'),
    });
  });
});
