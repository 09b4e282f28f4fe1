import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { ClientMetadata } from 'oidc-provider';
import { startService } from '../../src/compose/start-service.ts';
import type { Route } from '../../src/http/routing/route.ts';
import { loadSettings } from '../../src/config/load.ts';
import { faultLine } from '../../src/config/read/fault.ts';
import type { Settings } from '../../src/config/read/settings.ts';
import { createLogger } from '../../src/log/logger.ts';
import { allOrNone } from './all-or-none.ts';
import { startAppWorkers, type AppService } from './app-workers.ts';
import type { ComposeOptions } from '../../src/compose/compose.ts';
import { watchAnswers, type Watch } from './documented-answers.ts';
import { countCalls, type CallCounter } from './call-counter.ts';
import { freePort } from './free-port.ts';
import { needsOneProcess, WORKERS } from './one-process.ts';
import { startIdentityProvider, type Account, type IdentityProvider } from './identity-provider.ts';
import { startS3rver, type S3Emulator } from './s3-server.ts';
import type { GapOptions } from './s3rver-gaps.ts';
import { signInAt, Visitor } from './visitor.ts';

/** People of the tests: what each may do stands in {@link POLICIES}. */
export const ACCOUNTS: readonly Account[] = [
  { sub: 'ada', name: 'Ada Admin', groups: ['admins'] },
  { sub: 'eve', name: 'Eve Editor', groups: ['editors'] },
  { sub: 'vic', name: 'Vic Viewer', groups: ['viewers', 'unrelated'] },
  { sub: 'pia', name: 'Pia Prefix', groups: ['photographers'] },
  { sub: 'dan', name: 'Dan Denied', groups: ['team'] },
  { sub: 'nobody', name: 'Nora Nobody', groups: [] },
];

const WEB_DIRECTORY = join(import.meta.dirname, '../../dist/web');

export const CONFIG = {
  roles: {
    admin: { policies: ['default-admin'] },
    editor: { policies: ['default-viewer', 'default-write'] },
    viewer: { policies: ['default-viewer'] },
  },
  policy: { defaults: true },
  policies: [
    {
      version: 1,
      name: 'photos',
      rules: [
        { effect: 'allow', actions: ['providers:read'], resources: [{ type: 'provider', provider: 'main' }] },
        {
          effect: 'allow',
          actions: ['buckets:read'],
          resources: [{ type: 'bucket', provider: 'main', bucket: 'photos' }],
        },
        {
          effect: 'allow',
          actions: ['objects:read', 'objects:write'],
          resources: [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: '2025/' }],
        },
      ],
    },
    {
      version: 1,
      name: 'team',
      rules: [
        { effect: 'allow', actions: ['providers:read'], resources: [{ type: 'all' }] },
        {
          effect: 'allow',
          actions: ['buckets:read', 'objects:read', 'objects:write', 'objects:delete', 'objects:presign'],
          resources: [{ type: 'bucket', provider: 'main', bucket: 'files' }],
        },
        {
          effect: 'deny',
          actions: ['objects:read', 'objects:write', 'objects:delete', 'objects:presign'],
          resources: [{ type: 'prefix', provider: 'main', bucket: 'files', prefix: 'secret/' }],
        },
        {
          effect: 'deny',
          actions: ['objects:get'],
          resources: [{ type: 'object', provider: 'main', bucket: 'files', key: 'listed only.txt' }],
        },
      ],
    },
  ],
  bindings: [
    { groups: ['admins'], role: 'admin' },
    { groups: ['editors'], role: 'editor' },
    { groups: ['viewers'], role: 'viewer' },
    { groups: ['photographers'], policies: ['photos'] },
    { groups: ['team'], policies: ['team'] },
  ],
} as const;

export type ConfigObject = Record<string, unknown>;

export type AppOptions = GapOptions & {
  /** Changes the configuration before it is written and read. */
  readonly config?: (config: ConfigObject) => ConfigObject;
  readonly env?: Record<string, string>;
  readonly accounts?: readonly Account[];
  readonly buckets?: readonly string[];
  /** Milliseconds since the epoch. Workers have the real time: a test that relies on another calls `needsOneProcess`. */
  readonly now?: () => number;
  readonly webDirectory?: string;
  readonly bodyDeadlineMs?: number;
  /** Whether no answer is compared with the OpenAPI document, because the comparison keeps a copy of each in memory. */
  readonly isUnwatched?: boolean;
  /** Tickets, desktop codes, used logins: so many of each. */
  readonly entriesCapacity?: number;
};

/** The real service in this process, or in workers of it if `SVC_TEST_WORKERS` says how many, with a real identity provider and a real s3rver. */
export type TestApp = {
  readonly origin: string;
  readonly issuer: string;
  readonly idp: IdentityProvider;
  /** The service, as the identity provider knows it. */
  readonly client: ClientMetadata;
  readonly s3: S3Emulator;
  /** Every call that the service makes to storage. */
  readonly storageCalls: CallCounter;
  readonly rows: readonly Route[];
  /** `METHOD path status` of every answer so far; each was compared with the OpenAPI document, and `close` throws when one differed. */
  readonly answers: ReadonlySet<string>;
  readonly settings: Settings;
  readonly service: AppService;
  /** Everything that was logged. */
  readonly logged: () => string;
  /** A browser that is signed in as the account. */
  signIn(account: string, visitor?: Visitor): Promise<Visitor>;
  close(): Promise<void>;
};

export const SESSION_SECRET = 'a session secret of the tests, long enough';

export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  return allOrNone((parts) => startParts(options, parts));
}

async function startParts(options: AppOptions, parts: AsyncDisposableStack): Promise<Omit<TestApp, 'close'>> {
  for (const name of ['bodyDeadlineMs', 'entriesCapacity'] as const)
    if (options[name] !== undefined) needsOneProcess(`\`${name}\` is not a part of the configuration`);
  let answers: Watch | undefined = undefined;
  // Ends last, and then tells of answers that differ from the document.
  parts.defer(() => answers?.stop());
  const directory = await mkdtemp(join(tmpdir(), 'svc-app-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const redirectUris = [`${origin}/api/auth/callback`, `${origin}/v1/auth/callback`];
  const client: ClientMetadata = {
    client_id: 'svc',
    client_secret: 'idp-client-secret',
    redirect_uris: redirectUris,
    post_logout_redirect_uris: [`${origin}/`],
    grant_types: ['authorization_code'],
    response_types: ['code'],
  };
  const idp = await startIdentityProvider({ accounts: options.accounts ?? ACCOUNTS, clients: [client] });
  parts.defer(() => idp.close());
  const s3 = await startS3rver({ ...options, buckets: options.buckets ?? ['files', 'photos'] });
  parts.defer(() => s3.close());
  const storageCalls = await countCalls(s3.url);
  parts.defer(() => storageCalls.close());
  const base: ConfigObject = {
    ...CONFIG,
    server: { port, rate_limit: { sign_in_per_minute: 0 } },
    auth: {
      enabled: true,
      public_origin: origin,
      oidc: { issuer: idp.issuer, client_id: 'svc', client_secret: '${IDP_SECRET}' },
      api_keys: { capacity: 16 },
    },
    state: { path: 'state.db' },
    s3: { port: 0, public_endpoint: 'http://127.0.0.1:0', secret: 'a secret of S3 keys, for tests, long enough' },
    providers: [
      {
        name: 'main',
        type: 's3',
        endpoint: storageCalls.url,
        region: 'us-east-1',
        path_style: true,
        credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey },
      },
    ],
  };
  const file = join(directory, 'svc.config.yaml');
  const { s3: endpoint, ...config } = withWorkers(options.config?.(base) ?? base);
  // Without people there are no keys.
  const hasPeople = (config['auth'] as { readonly enabled?: boolean }).enabled !== false;
  await writeFile(file, JSON.stringify({ ...config, ...(hasPeople && { s3: endpoint }) }, null, 2));
  const loaded = loadSettings({
    file,
    env: { SVC_SESSION_SECRET: SESSION_SECRET, IDP_SECRET: 'idp-client-secret', ...options.env },
  });
  if (loaded.faults !== undefined) throw new Error(loaded.faults.map((fault) => faultLine(file, fault)).join('\n'));

  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = createLogger({ level: 'debug', format: 'json', stream });
  const webDirectory = options.webDirectory ?? WEB_DIRECTORY;
  const [service, watch, output] =
    WORKERS === undefined
      ? await startHere(loaded.settings, { ...options, log, webDirectory })
      : await startAppWorkers(loaded.settings, { count: WORKERS, log, directory, webDirectory });
  answers = watch;
  parts.defer(() => service.stop());
  return {
    origin,
    get answers() {
      return watch.seen;
    },
    issuer: idp.issuer,
    idp,
    client,
    s3,
    storageCalls,
    rows: service.rows,
    settings: service.settings,
    service,
    logged: () => lines.join('') + (output?.() ?? ''),
    signIn: async (account, visitor = new Visitor()) => {
      await finishSignIn(`${origin}/api/auth/login`, account, visitor);
      return visitor;
    },
  };
}

async function startHere(
  settings: Settings,
  {
    log,
    webDirectory,
    now,
    entriesCapacity,
    bodyDeadlineMs,
    isUnwatched = false,
  }: AppOptions & Pick<ComposeOptions, 'log' | 'webDirectory'>,
): Promise<readonly [AppService, Watch, undefined?]> {
  const service = await startService(settings, {
    log,
    version: '0.0.0-test',
    webDirectory,
    ...(now === undefined ? {} : { now }),
    ...(entriesCapacity === undefined ? {} : { entriesCapacity }),
    ...(bodyDeadlineMs === undefined ? {} : { bodyDeadlineMs }),
  });
  if (isUnwatched) return [service, { seen: new Set(), stop: () => undefined }];
  return [service, watchAnswers(service.settings.server.port, settings.server.basePath, service.rows)];
}

/** Workers keep no sessions in memory. */
function withWorkers(config: ConfigObject): ConfigObject {
  if (WORKERS === undefined) return config;
  const { server, auth, log, state } = config as Record<
    string,
    { readonly session?: { readonly type?: string } } | undefined
  >;
  if (state === undefined) needsOneProcess('a service without a state database');
  if (auth?.session?.type === 'memory') needsOneProcess('sessions in memory');
  return {
    ...config,
    log: { level: 'debug', format: 'json', ...log },
    server: { workers: WORKERS, ...server },
    ...(auth !== undefined && { auth: { ...auth, session: { type: 'database', ...auth.session } } }),
  };
}

/** Goes from a login route through the provider to where the callback leads. */
export async function finishSignIn(loginUrl: string, account: string, visitor: Visitor): Promise<Response> {
  const begun = await visitor.request(loginUrl);
  const location = begun.headers.get('location');
  if (location === null)
    throw new Error(`no redirect to the identity provider (${begun.status}): ${await begun.text()}`);
  return visitor.request(await signInAt(location, { account, visitor }));
}
