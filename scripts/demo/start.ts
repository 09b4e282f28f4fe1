import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startIdentityProvider } from '../../tests/support/identity-provider.ts';
import { ACCOUNTS } from './accounts.ts';
import { CHECKOUT, makeFolder } from './folder.ts';
import type { DemoOptions } from './options.ts';
import { claimPorts, LOOPBACK } from './ports.ts';
import { archiveBuckets, mainBuckets } from './samples/buckets.ts';
import { startService, type RunningService } from './service.ts';
import { startSampleStorage } from './storage.ts';

const CONFIG = join(CHECKOUT, 'svc.config.yaml');
const CLIENT_ID = 'svc';
/** The same at each start when it is free, so that the configuration of a tool stays right. */
const TOOLS_PORT = 9083;

/** A demo that runs. */
export type Demo = {
  /** What people open in the browser. */
  readonly url: string;
  readonly issuer: string;
  readonly redirectUri: string;
  /** Where S3 tools reach the service. */
  readonly s3Endpoint: string;
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
 * @param prepare - Called when the ports and the folder can be had, before anything starts.
 * @throws {PortTaken}
 * @throws {NotWritable}
 */
export async function startDemo(
  options: DemoOptions,
  { directory, prepare }: { readonly directory?: string; readonly prepare?: () => void } = {},
): Promise<Demo> {
  const [port = 0, idpPort = 0, s3Port = 0, archivePort = 0, toolsPort = 0] = await claimPorts([
    { port: options.port, what: 'the service', option: '--port' },
    { port: options.idpPort, what: 'the identity provider', option: '--idp-port' },
    { port: options.s3Port, what: 'the storage server `main`', option: '--s3-port' },
    { port: options.archivePort, what: 'the storage server `archive`', option: '--archive-port' },
    { port: options.port === 0 ? 0 : TOOLS_PORT, what: 'S3 tools', isPreferred: true },
  ]);
  const home = directory ?? join(CHECKOUT, '.demo', String(port));
  await makeFolder(home, { empty: true });
  prepare?.();

  const url = origin(port);
  const issuer = origin(idpPort);
  const s3Endpoint = origin(toolsPort);
  const redirectUri = `${url}/v1/auth/callback`;
  // That of the example configuration, so that `svc doctor` and `svc serve` with it reach the demo's provider.
  const clientSecret = 'demo-client-secret';
  const logFile = join(home, 'service.log');
  const environment = {
    SVC_PUBLIC_ORIGIN: url,
    SVC_OIDC_ISSUER: issuer,
    SVC_OIDC_CLIENT_ID: CLIENT_ID,
    SVC_OIDC_CLIENT_SECRET: clientSecret,
    SVC_SESSION_SECRET: randomBytes(48).toString('base64url'),
    SVC_STATE_PATH: join(home, 'state.db'),
    SVC_AUDIT_PATH: join(home, 'audit'),
    SVC_MAIN_ENDPOINT: origin(s3Port),
    SVC_ARCHIVE_ENDPOINT: origin(archivePort),
    SVC_S3_PORT: String(toolsPort),
    SVC_S3_ENDPOINT: s3Endpoint,
  };

  const service = startService({ config: CONFIG, origin: url, port, environment, logFile });
  const stops = await allOrNone([
    service.then((running) => () => running.stop()),
    startIdentityProvider({
      port: idpPort,
      title: 'Demo sign-in',
      accounts: ACCOUNTS.map(({ subject, name, groups, may }) => ({ sub: subject, name, groups, note: may })),
      clients: [clientOf(url, redirectUri, clientSecret)],
    }).then((idp) => () => idp.close()),
    startSampleStorage(mainBuckets(), join(home, 'main'), s3Port).then((main) => () => main.close()),
    startSampleStorage(archiveBuckets(), join(home, 'archive'), archivePort).then((archive) => () => archive.close()),
  ]).catch(async (error: unknown) => {
    await rm(home, { recursive: true, force: true });
    throw error;
  });
  const close = async (): Promise<void> => {
    for (const stop of stops) await stop();
    await rm(home, { recursive: true, force: true });
  };
  return { url, issuer, redirectUri, s3Endpoint, logFile, ended: (await service).ended, close };
}

type Stop = () => Promise<void>;

/** Waits for every part. When one does not start, those that did are stopped again. */
async function allOrNone(parts: readonly Promise<Stop>[]): Promise<readonly Stop[]> {
  const outcomes = await Promise.allSettled(parts);
  const stops = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure === undefined) return stops;
  for (const stop of stops) await stop();
  throw failure.reason;
}

function origin(port: number): string {
  return `http://${LOOPBACK}:${port}`;
}

function clientOf(url: string, redirectUri: string, secret: string) {
  return {
    client_id: CLIENT_ID,
    client_secret: secret,
    redirect_uris: [redirectUri],
    post_logout_redirect_uris: [`${url}/`, `${url}/signed-out`],
    response_types: ['code' as const],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_basic' as const,
  };
}
