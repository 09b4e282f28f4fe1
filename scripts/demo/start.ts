import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startIdentityProvider } from '../../tests/support/identity-provider.ts';
import { ACCOUNTS } from './accounts.ts';
import type { DemoOptions } from './options.ts';
import { claimPorts, LOOPBACK } from './ports.ts';
import { archiveBuckets, mainBuckets } from './samples/buckets.ts';
import { startService, type RunningService } from './service.ts';
import { startSampleStorage } from './storage.ts';

const CHECKOUT = new URL('../../', import.meta.url).pathname;
const CONFIG = join(CHECKOUT, 'svc.config.yaml');
const CLIENT_ID = 'svc';

/** A demo that runs. */
export type Demo = {
  /** What people open in the browser. */
  readonly url: string;
  readonly issuer: string;
  readonly redirectUris: readonly string[];
  readonly logFile: string;
  /** Resolves with what the service last said, should it end by itself. */
  readonly ended: RunningService['ended'];
  /** Ends all of it. */
  close(): Promise<void>;
};

/**
 * Starts the real service, with an identity provider and two storage servers in the place of the outside world.
 *
 * @param directory - Holds storage, state and log while it runs; emptied first. By default a folder of `.demo/` for each port.
 * @throws {PortTaken}
 */
export async function startDemo(options: DemoOptions, directory?: string): Promise<Demo> {
  const [port = 0, idpPort = 0, s3Port = 0, archivePort = 0] = await claimPorts([
    { port: options.port, what: 'the service', option: '--port' },
    { port: options.idpPort, what: 'the identity provider', option: '--idp-port' },
    { port: options.s3Port, what: 'the storage server `main`', option: '--s3-port' },
    { port: options.archivePort, what: 'the storage server `archive`', option: '--archive-port' },
  ]);
  const home = directory ?? join(CHECKOUT, '.demo', String(port));
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });

  const url = `http://${LOOPBACK}:${port}`;
  const redirectUris = [`${url}/api/auth/callback`, `${url}/v1/auth/callback`];
  const clientSecret = randomBytes(24).toString('base64url');
  const logFile = join(home, 'service.log');

  const running = new AsyncDisposableStack();
  running.defer(() => rm(home, { recursive: true, force: true }));
  try {
    const idp = await startIdentityProvider({
      port: idpPort,
      title: 'Demo sign-in',
      accounts: ACCOUNTS.map(({ subject, name, groups, may }) => ({ sub: subject, name, groups, note: may })),
      clients: [clientOf(url, redirectUris, clientSecret)],
    });
    running.defer(() => idp.close());
    const main = await startSampleStorage(mainBuckets(), join(home, 'main'), s3Port);
    running.defer(() => main.close());
    const archive = await startSampleStorage(archiveBuckets(), join(home, 'archive'), archivePort);
    running.defer(() => archive.close());
    const environment = {
      SVC_PUBLIC_ORIGIN: url,
      SVC_OIDC_ISSUER: idp.issuer,
      SVC_OIDC_CLIENT_ID: CLIENT_ID,
      SVC_OIDC_CLIENT_SECRET: clientSecret,
      SVC_SESSION_SECRET: randomBytes(48).toString('base64url'),
      SVC_STATE_PATH: join(home, 'state.db'),
      SVC_MAIN_ENDPOINT: main.url,
      SVC_ARCHIVE_ENDPOINT: archive.url,
    };
    const service = await startService({ config: CONFIG, origin: url, port, environment, logFile });
    running.defer(() => service.stop());
    return { url, issuer: idp.issuer, redirectUris, logFile, ended: service.ended, close: () => running.disposeAsync() };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

function clientOf(url: string, redirectUris: readonly string[], secret: string) {
  return {
    client_id: CLIENT_ID,
    client_secret: secret,
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [`${url}/`, `${url}/signed-out`],
    response_types: ['code' as const],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_basic' as const,
  };
}
