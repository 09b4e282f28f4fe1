import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allOrNone } from '../../tests/support/all-or-none.ts';
import { freePort } from '../../tests/support/free-port.ts';
import { missingForGlewlwyd, startGlewlwyd } from '../../tests/support/glewlwyd.ts';
import { missingForLemonldap, startLemonldap } from '../../tests/support/lemonldap.ts';
import type { RealProvider } from '../../tests/support/real-provider.ts';
import { startS3rver } from '../../tests/support/s3-server.ts';
import { startService } from '../demo/service.ts';

/** The identity providers of Debian, and what this machine lacks to run each. */
export const PROVIDERS = {
  // It knows no `max_age=0`, which a sign-in of `svc login` sends by default.
  glewlwyd: {
    title: 'Glewlwyd',
    missing: missingForGlewlwyd,
    start: startGlewlwyd,
    oidc: { desktop_prompt: 'select_account' },
  },
  lemonldap: { title: 'LemonLDAP::NG', missing: missingForLemonldap, start: startLemonldap, oidc: {} },
} as const;

export type ProviderName = keyof typeof PROVIDERS;

/** The service with an identity provider of another make. */
export type Tried = {
  readonly url: string;
  readonly issuer: string;
  readonly person: RealProvider['person'];
  close(): Promise<void>;
};

/** Starts the identity provider, a storage, and the service as docs/identity-providers.md says. @param port - any that is free when it is left out. */
export function startWithProvider(name: ProviderName, given?: number): Promise<Tried> {
  return allOrNone(async (parts) => {
    const directory = await mkdtemp(join(tmpdir(), `svc-with-${name}-`));
    parts.defer(() => rm(directory, { recursive: true, force: true }));
    const port = given ?? (await freePort());
    const url = `http://127.0.0.1:${port}`;
    const { start, oidc } = PROVIDERS[name];
    const provider = await start([`${url}/v1/auth/callback`], [`${url}/`]);
    parts.defer(() => provider.close());
    const s3 = await startS3rver({ buckets: ['files'] });
    parts.defer(() => s3.close());
    const config = {
      server: { port },
      auth: {
        enabled: true,
        public_origin: url,
        oidc: {
          issuer: provider.issuer,
          client_id: 'svc',
          client_secret: '${SVC_OIDC_CLIENT_SECRET}',
          scopes: ['profile'],
          ...oidc,
        },
      },
      state: { path: 'state.db' },
      providers: [
        {
          name: 'main',
          endpoint: s3.url,
          credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey },
        },
      ],
      policy: { defaults: true },
      roles: { viewer: { policies: ['default-viewer'] } },
      bindings: [{ groups: [provider.person.groups[0]], role: 'viewer' }],
    };
    const file = join(directory, 'svc.yaml');
    await writeFile(file, JSON.stringify(config));
    const environment = {
      SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
      SVC_SESSION_SECRET: randomBytes(48).toString('base64url'),
    };
    const service = await startService({
      config: file,
      origin: url,
      port,
      environment,
      logFile: join(directory, 'service.log'),
    });
    parts.defer(() => service.stop());
    return { url, issuer: provider.issuer, person: provider.person };
  });
}
