import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ACCOUNTS, CONFIG, SESSION_SECRET } from '../support/app.ts';
import { answers } from '../support/cluster.ts';
import { freePort } from '../support/free-port.ts';
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts';
import { startS3rver, type S3Emulator } from '../support/s3-server.ts';
import { signInAt, Visitor } from '../support/visitor.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A picture of one pixel. */
const DOT = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=', 'base64');

let prefix: string;
let installed: string;
let program: string;

/** What `npm install -g` makes of the package, beneath an empty prefix. The build is the one that `npm test` made. */
beforeAll(async () => {
  prefix = await mkdtemp(join(tmpdir(), 'svc-package-'));
  // A program that is installed finds `node` in the path, so this one comes first there.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', prefix], { cwd: CHECKOUT, env });
  await run('npm', ['install', '--global', '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', join(prefix, stdout.trim())], { cwd: prefix, env });
  installed = join(prefix, 'lib/node_modules/svc');
  program = join(prefix, 'bin/svc');
}, 300_000);

afterAll(() => rm(prefix, { recursive: true, force: true }));

describe('the installed package', () => {
  it('has no TypeScript of ours, which Node would refuse to read there, and says what is built into it', async () => {
    const files = await readdir(installed, { recursive: true });
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.startsWith('node_modules/'))).toEqual([]);
    for (const [part, name] of [['server', 'express'], ['web', 'react']] as const) expect(await readFile(join(installed, 'dist', part, 'licenses/THIRD-PARTY.txt'), 'utf8')).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'));
  });

  it('serves people who sign in: the page with its parts, the API reference, and files', async () => {
    const service = await serve();
    try {
      const { origin } = service;
      const visitor = new Visitor();
      const login = await visitor.request(`${origin}/api/auth/login`);
      await visitor.request(await signInAt(login.headers.get('location')!, { account: 'ada', visitor }));
      const page = await (await visitor.request(`${origin}/`)).text();
      const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => new URL(path!, `${origin}/`).href).filter((url) => url.includes('/assets/'));
      expect(parts.length).toBeGreaterThan(1);
      for (const url of [...parts, `${origin}/api/docs/swagger-ui-bundle.js`]) expect([url, (await visitor.request(url)).status]).toEqual([url, 200]);
      const stored = await visitor.request(`${origin}/api/providers/main/buckets/files/object?key=a.txt`, { method: 'PUT', body: 'installed', headers: { origin } });
      expect(stored.status).toBe(200);
      expect(await (await visitor.request(`${origin}/api/providers/main/buckets/files/object?key=a.txt`)).text()).toBe('installed');
      await visitor.request(`${origin}/api/providers/main/buckets/files/object?key=dot.gif`, { method: 'PUT', body: DOT, headers: { origin } });
      expect((await visitor.request(`${origin}/api/providers/main/buckets/files/object/thumbnail?key=dot.gif`)).status).toBe(200);
    } finally {
      await service.stop();
    }
  });
});

async function serve(): Promise<{ readonly origin: string; stop(): Promise<void> }> {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const idp: IdentityProvider = await startIdentityProvider({
    accounts: ACCOUNTS,
    clients: [{ client_id: 'svc', client_secret: 'idp-client-secret', redirect_uris: [`${origin}/v1/auth/callback`], grant_types: ['authorization_code'], response_types: ['code'] }],
  });
  const s3: S3Emulator = await startS3rver({ buckets: ['files'] });
  const config = {
    ...CONFIG,
    server: { port: Number(new URL(origin).port) },
    auth: { enabled: true, public_origin: origin, oidc: { issuer: idp.issuer, client_id: 'svc', client_secret: 'idp-client-secret' } },
    state: { path: 'state.db' },
    providers: [{ name: 'main', type: 's3', endpoint: s3.url, path_style: true, credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey } }],
  };
  await writeFile(join(prefix, 'svc.config.yaml'), JSON.stringify(config));
  const child = spawn(program, ['serve', '--config', join(prefix, 'svc.config.yaml')], {
    cwd: prefix,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: prefix, SVC_SESSION_SECRET: SESSION_SECRET },
  });
  await answers(origin);
  return {
    origin,
    stop: async () => {
      child.kill();
      await once(child, 'exit');
      await Promise.all([idp.close(), s3.close()]);
    },
  };
}
