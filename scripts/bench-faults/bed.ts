import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCOUNTS, CONFIG, finishSignIn, SESSION_SECRET } from '../../tests/support/app.ts';
import { freePort } from '../../tests/support/free-port.ts';
import type { HostileProvider } from '../../tests/support/hostile-provider.ts';
import { startIdentityProvider } from '../../tests/support/identity-provider.ts';
import { Visitor } from '../../tests/support/visitor.ts';
import { ServiceProcess } from './service-process.ts';

/** A service with a provider that people sign in at. */
export type Bed = {
  readonly origin: string;
  readonly service: ServiceProcess;
  /** Headers of a signed-in browser, and of none other. */
  signIn(account: string): Promise<{ readonly cookie: string }>;
  close(): Promise<void>;
};

export type BedOptions = {
  readonly providers: readonly object[];
  /** In place of a real provider. */
  readonly hostile?: HostileProvider;
  /** Beside those of the tests; they are bound to administrators. */
  readonly policies?: readonly { readonly version: 1; readonly name: string; readonly rules: readonly object[] }[];
  readonly apiKeys?: object;
};

export async function startBed({ providers, hostile, policies = [], apiKeys = {} }: BedOptions): Promise<Bed> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-faults-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const idp =
    hostile ??
    (await startIdentityProvider({
      accounts: ACCOUNTS,
      clients: [
        {
          client_id: 'svc',
          client_secret: 'idp-client-secret',
          redirect_uris: [`${origin}/api/auth/callback`, `${origin}/v1/auth/callback`],
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
    }));
  const config = {
    ...CONFIG,
    server: { port, rate_limit: { sign_in_per_minute: 0 } },
    auth: {
      enabled: true,
      public_origin: origin,
      oidc: { issuer: idp.issuer, client_id: 'svc', client_secret: hostile?.clientSecret ?? 'idp-client-secret' },
      api_keys: apiKeys,
    },
    state: { path: 'state.db' },
    policies: [...CONFIG.policies, ...policies],
    bindings: [
      ...CONFIG.bindings,
      { groups: ['all'], role: 'admin' },
      ...policies.map(({ name }) => ({ groups: ['admins'], policies: [name] })),
    ],
    providers,
  };
  const file = join(directory, 'svc.config.yaml');
  await writeFile(file, JSON.stringify(config));
  const service = await ServiceProcess.start(file, origin, SESSION_SECRET);
  return {
    origin,
    service,
    signIn: async (account) => {
      const visitor = new Visitor();
      if (hostile === undefined) await finishSignIn(`${origin}/api/auth/login`, account, visitor);
      else
        await visitor.request(
          hostile.visit((await visitor.request(`${origin}/api/auth/login`)).headers.get('location') ?? ''),
        );
      const cookie = visitor.cookie(origin, 'svc_session');
      if (cookie === undefined) throw new Error(`nobody was signed in as ${account}`);
      return { cookie: `svc_session=${cookie}` };
    },
    close: async () => {
      await service.kill();
      if (hostile === undefined) await idp.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A storage provider of the configuration, with short patience. */
export function providerAt(
  name: string,
  endpoint: string,
  { accessKeyId, secretAccessKey } = { accessKeyId: 'x', secretAccessKey: 'x' },
): object {
  return {
    name,
    type: 's3',
    endpoint,
    path_style: true,
    connect_timeout_seconds: 1,
    timeout_seconds: 2,
    credentials: { access_key_id: accessKeyId, secret_access_key: secretAccessKey },
  };
}

/** The same with the patience of the default: for storage that is slow because it shares the machine. */
export function patient(provider: object): object {
  return { ...provider, connect_timeout_seconds: 5, timeout_seconds: 30 };
}
