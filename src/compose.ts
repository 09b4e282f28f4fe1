import { rm } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { CredentialWatch } from './access/credential-watch.ts';
import { LivePolicies } from './access/live-policies.ts';
import { readCredentials } from './access/credentials.ts';
import { Identify, isAdmin } from './access/identify.ts';
import { OwnOrigin } from './access/origin.ts';
import { Targets } from './access/target.ts';
import { Tickets } from './access/ticket.ts';
import { ApiKeys } from './apikey/registry.ts';
import { auditLog } from './audit/audit-log.ts';
import { AuditQuestions } from './audit/audit-questions.ts';
import type { AuditStore } from './audit/audit-store.ts';
import { counted } from './audit/counted.ts';
import { isLoopbackHost } from './config/compile/origin.ts';
import { withListenedPort } from './config/compile/listened-port.ts';
import { requireReloadable } from './config/compile/reloadable.ts';
import type { AuditSettings, OidcSettings, Settings } from './config/read/settings.ts';
import { createApp } from './http/app.ts';
import { clientAddressBehind } from './http/routing/client-address.ts';
import { FaultLimit } from './http/routing/fault-limit.ts';
import { referencePages } from './http/pages/reference.ts';
import type { Route } from './http/routing/route.ts';
import type { ReadinessCheck } from './http/rows/routes-health.ts';
import { rowsOf } from './http/rows.ts';
import { LocalSignIn } from './http/signin/local-sign-in.ts';
import type { Metrics } from './http/rows/metrics.ts';
import { listen, type RunningServer } from './http/server.ts';
import { SessionCookie } from './http/signin/session-cookie.ts';
import { SignInFlow } from './http/signin/sign-in-flow.ts';
import { Branding } from './http/pages/branding.ts';
import { webPages } from './http/pages/web-pages.ts';
import type { Logger } from './log/logger.ts';
import { deniesToGroups } from './policy/index/group-deny.ts';
import { Performer } from './operation/perform.ts';
import { Dispatch } from './rpc/dispatch.ts';
import { rpcMethods } from './rpc/methods.ts';
import { rpcPost } from './rpc/post.ts';
import { RpcSocket } from './rpc/socket.ts';
import { randomSealingKey, sealingKeyFromSecret } from './secret/sealer.ts';
import { EndedLogins } from './session/ended-logins.ts';
import { Sessions } from './session/sessions.ts';
import { DesktopCodes } from './signin/desktop-code.ts';
import { SignInRecords } from './signin/sign-in-records.ts';
import { SignIn } from './signin/sign-in.ts';
import type { ExpiringEntries } from './state/expiring-entries.ts';
import { isShared, openStores } from './stores.ts';
import { StorageHealth } from './storage/health.ts';
import { Storage } from './storage/storage.ts';
import { PictureStore } from './thumbnail/picture-store.ts';
import { temporaryFolder } from './thumbnail/temporary-folder.ts';
import { Thumbnails } from './thumbnail/thumbnails.ts';

export type ComposeOptions = {
  readonly log: Logger;
  readonly version: string;
  /** Folder of the built web UI. */
  readonly webDirectory: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Maximum number of entries of each kind in this process: tickets, desktop codes, used logins. */
  readonly entriesCapacity?: number;
  /** Milliseconds within which a body that is not a stream has to arrive. */
  readonly bodyDeadlineMs?: number;
  /** A socket that is already listening, in place of `server.host` and `server.port`. */
  readonly socketFd?: number | undefined;
};

/** The connected parts of the service, not yet listening. */
export type Composition = {
  readonly app: RequestListener;
  readonly rows: readonly Route[];
  /** Undefined without `server.metrics`. */
  readonly metrics: Metrics | undefined;
  readonly sessions: Sessions;
  /** Handles requests for a WebSocket. */
  readonly upgrade: (req: IncomingMessage, stream: Duplex, head: Buffer) => void;
  /** Tells connected clients that the service stops and closes their sockets. */
  readonly closeSockets: () => Promise<void>;
  /** Replaces the policies, providers and secrets. @returns the revision of the policies. */
  readonly takeOver: (next: Settings) => string;
  readonly close: () => Promise<void>;
};

const BODY_DEADLINE_MS = 30_000;

/** The composition root: the only place where parts are chosen and connected. */
export async function compose(
  settings: Settings,
  { log, version, webDirectory, now = Date.now, entriesCapacity, bodyDeadlineMs = BODY_DEADLINE_MS }: ComposeOptions,
): Promise<Composition> {
  const { auth, server } = settings;
  const closers: (() => Promise<void> | void)[] = [];
  const {
    sessionStore,
    apiKeyStore,
    newEntries,
    recent,
    counts,
    checkState,
    close: closeStores,
  } = await openStores(settings, { now, log, entriesCapacity });
  closers.push(closeStores);

  const store = settings.audit === undefined ? undefined : await openAudit(settings.audit, { log, now });
  const metrics =
    server.metrics === undefined ? undefined : new (await import('./http/rows/metrics.ts')).Metrics(version);
  const lines = store ?? auditLog(log);
  const audit = metrics === undefined ? lines : counted(lines, metrics);
  const questions = settings.audit === undefined ? undefined : new AuditQuestions(settings.audit.path);
  closers.push(async () => questions?.close());
  const policies = new LivePolicies(settings.policy);
  const endedLogins = new EndedLogins({ entries: newEntries(), now });
  const sessions = new Sessions({
    endedLogins,
    store: sessionStore,
    ttlSeconds: auth.session.ttlSeconds,
    isAdmin: (identity) => isAdmin(policies.grantsFor(identity).roles),
    now,
  });
  closers.unshift(() => sessions.close());
  const apiKeys =
    auth.apiKeys === undefined || apiKeyStore === undefined
      ? undefined
      : new ApiKeys({ store: apiKeyStore, ...auth.apiKeys, now });
  if (apiKeys !== undefined) closers.unshift(() => apiKeys.close());
  const identify = new Identify({
    authEnabled: auth.enabled,
    sessions,
    policies,
    apiKeys,
    cookieSecrets: auth.sessionSecrets,
  });
  const storage = new Storage(providersOf(settings), cursorKeysOf(settings), metrics?.stored);
  closers.push(() => storage.close());
  const targets = new Targets((provider) => storage.providers.dotsOf(provider));
  const ownLoginKey = randomSealingKey();
  const signIn =
    auth.oidc === undefined
      ? undefined
      : createSignIn(auth.oidc, settings, newEntries(), {
          now,
          warn: log.warn,
          sealingKeys: loginKeysOf(settings, ownLoginKey),
        });
  if (signIn !== undefined) closers.push(() => signIn.close());
  void signIn?.prepare();

  const secure = auth.publicOrigin.startsWith('https:');
  const sessionCookie = new SessionCookie({
    sessions,
    secrets: auth.sessionSecrets,
    secure,
    path: server.basePath || '/',
    ttlSeconds: auth.session.ttlSeconds,
  });
  const desktopCodes = new DesktopCodes({ entries: newEntries(), now });
  const { oidc } = auth;
  const records =
    oidc === undefined
      ? undefined
      : new SignInRecords({ ...oidc, lists: recent, definition: () => policies.definition, now, warn: log.warn });
  const flow = new SignInFlow({
    authEnabled: auth.enabled,
    signIn,
    records,
    sessions,
    sessionCookie,
    desktopCodes,
    identify,
    basePath: server.basePath,
    secure,
    log,
  });

  const watch = new CredentialWatch({ identify, sessions, apiKeys, now });
  const tickets = new Tickets({ entries: newEntries(), identify, now });
  const thumbnails =
    settings.thumbnails === undefined ? undefined : await openThumbnails(settings.thumbnails, log, closers);
  const storageHealth = new StorageHealth({ providers: () => storage.providers.all(), now });
  const services = {
    version,
    home: auth.publicOrigin + server.basePath,
    targets,
    policies,
    sessions,
    storageHealth,
    tickets,
    apiKeys,
    thumbnails,
    audit: questions,
    signIns: records,
  };
  const performer = new Performer({ audit, watch, storage, services });
  const dispatch = new Dispatch({ methods: rpcMethods(services), performer, log });
  const ownOrigin = new OwnOrigin({
    authEnabled: auth.enabled,
    publicOrigin: auth.publicOrigin,
    loopbackPort: isLoopbackHost(server.host) ? server.port : undefined,
  });
  const local =
    auth.enabled && signIn === undefined ? new LocalSignIn({ users: auth.localUsers, ownOrigin }) : undefined;
  const addressOf = clientAddressBehind(server.trustedProxies);
  const socket = new RpcSocket({ identify, dispatch, watch, ownOrigin, addressOf, log });
  const checks: ReadinessCheck[] = [{ name: 'session_store', check: () => sessions.check() }];
  if (checkState !== undefined) checks.push({ name: 'state_database', check: checkState });
  if (store !== undefined) checks.push({ name: 'audit', check: () => store.check() });
  const isSignedIn = signedInBy(identify);
  const faults = new FaultLimit(server.signInPerMinute);
  const rows = rowsOf({
    performer,
    identify,
    ownOrigin,
    faults,
    audit,
    tickets,
    signIn: { flow, identify, faults, authEnabled: auth.enabled, local },
    v1: { flow, sessions, desktopCodes, authEnabled: auth.enabled, local },
    checks,
    isSignedIn,
    version,
  });
  metrics?.read({
    sessions: () => sessions.count(),
    sockets: () => socket.size,
    certificateEndsAt: () => signIn?.certificateEndsAt,
    checks,
    audit: store,
  });
  const place = { publicOrigin: auth.publicOrigin, basePath: server.basePath, authEnabled: auth.enabled };
  const ui = webPages({ directory: webDirectory, place, branding: new Branding(settings.ui), isSignedIn });
  const app = createApp({
    rows,
    ownOrigin,
    log,
    addressOf,
    place,
    signInPerMinute: server.signInPerMinute,
    sharedCounts: counts,
    metrics,
    rpc: rpcPost({ identify, dispatch, performer, watch, ownOrigin, bodyDeadlineMs }),
    bodyDeadlineMs,
    pages: [referencePages({ webDirectory, isSignedIn, place }), ui.router],
    sendUi: ui.send,
  });
  return {
    app,
    rows,
    metrics,
    sessions,
    upgrade: (req, stream, head) => void socket.upgrade(req, stream, head),
    closeSockets: () => socket.close(),
    takeOver: (next) => {
      policies.replace(next.policy);
      storage.replace(providersOf(next), cursorKeysOf(next));
      identify.replaceSecrets(next.auth.sessionSecrets);
      sessionCookie.replaceSecrets(next.auth.sessionSecrets);
      socket.endUnverified();
      signIn?.replaceSecrets({
        clientSecret: next.auth.oidc?.clientSecret,
        sealingKeys: loginKeysOf(next, ownLoginKey),
      });
      return policies.revision;
    },
    close: async () => {
      await socket.close();
      try {
        for (const close of closers) await close();
      } finally {
        // The audit closes last, because the other parts write to it while they close.
        await store?.close();
      }
    },
  };
}

export type RunningService = {
  /** The settings, with the port that the service got in place of port 0. */
  readonly settings: Settings;
  /** The port that serves the metrics; undefined without metrics. */
  readonly metricsPort: number | undefined;
  readonly rows: readonly Route[];
  /**
   * Applies the policies, roles, bindings, providers and sign-in secrets of other settings, without ending a request or socket.
   *
   * @returns the revision of the policies. @throws {RestartNeeded} when other settings differ too; then nothing is applied.
   */
  reload(next: Settings): string;
  /** Reports in the log and in the metrics that a configuration was not applied. */
  refused(why: string): void;
  /** Finishes the requests in flight, and closes sockets and stores. */
  stop(): Promise<void>;
};

/** Milliseconds that requests in flight may take to finish when the service stops. */
const STOP_GRACE_MS = 8_000;

/** Starts the service. It listens before the parts are made, because their addresses contain the port; requests wait until then. */
export async function startService(given: Settings, options: ComposeOptions): Promise<RunningService> {
  const { promise: joined, resolve: answerWith } = Promise.withResolvers<Composition>();
  const { host, port, basePath, metrics: metricsAddress } = given.server;
  const running = await listen((req, res) => void joined.then(({ app }) => app(req, res)), {
    host,
    port,
    fd: options.socketFd,
    shouldUpgrade: (req) => isSocketRequest(req, basePath),
    onUpgrade: (req, stream, head) => void joined.then(({ upgrade }) => upgrade(req, stream, head)),
  });
  // An inherited socket keeps its own address, whatever the configuration says.
  const asListened = (settings: Settings): Settings =>
    withListenedPort(
      options.socketFd === undefined ? settings : { ...settings, server: { ...settings.server, host: running.host } },
      running.port,
    );
  let composition: Composition | undefined;
  let metricsServer: RunningServer | undefined;
  try {
    const settings = asListened(given);
    if (options.socketFd !== undefined) requireLoopback(settings);
    let current = settings;
    composition = await compose(settings, options);
    const { metrics, rows, closeSockets, takeOver, close } = composition;
    metricsServer =
      metrics === undefined || metricsAddress === undefined
        ? undefined
        : await listen(metrics.listener, metricsAddress);
    answerWith(composition);
    return {
      settings,
      metricsPort: metricsServer?.port,
      rows,
      reload: (next) => {
        const listening = asListened(next);
        requireReloadable(current, next.server.port === given.server.port ? listening : next);
        const revision = takeOver(listening);
        current = listening;
        metrics?.reloaded(true);
        return revision;
      },
      refused: (why) => {
        options.log.error('the configuration was not applied', { why });
        metrics?.reloaded(false);
      },
      stop: async () => {
        const stopped = running.stop(STOP_GRACE_MS);
        await closeSockets();
        await stopped;
        await metricsServer?.stop(0);
        await close();
      },
    };
  } catch (error) {
    await running.stop(0);
    await composition?.close();
    throw error;
  }
}

/** The configuration was checked for its own `server.host`, which may differ from the host of an inherited socket. @throws {Error} */
function requireLoopback({ auth, server: { host } }: Settings): void {
  if (isLoopbackHost(host) || (auth.enabled && auth.oidc !== undefined)) return;
  throw new Error(
    `the inherited socket listens on \`${host}\`; without an identity provider everyone who can connect could do everything, so it must listen on loopback`,
  );
}

async function openAudit(
  settings: AuditSettings,
  parts: { readonly log: Logger; readonly now: () => number },
): Promise<AuditStore> {
  const { AuditStore: Store } = await import('./audit/audit-store.ts');
  return Store.open(settings, parts);
}

async function openThumbnails(
  { path, maxBytes }: NonNullable<Settings['thumbnails']>,
  log: Logger,
  closers: (() => Promise<void> | void)[],
): Promise<Thumbnails> {
  const folder = path ?? (await temporaryFolder(tmpdir()));
  const thumbnails = new Thumbnails({ store: new PictureStore(folder, maxBytes), warn: log.warn });
  closers.push(async () => {
    thumbnails.close();
    if (path === undefined) await rm(folder, { recursive: true, force: true });
  });
  return thumbnails;
}

function providersOf({ providers, proxy }: Pick<Settings, 'providers' | 'proxy'>) {
  return providers.map((provider) => ({ ...provider, proxy }));
}

function cursorKeysOf({ auth }: Settings): Buffer[] {
  return auth.sessionSecrets.map((secret) => sealingKeyFromSecret(secret, 'svc cursors'));
}

/**
 * Instances that share sessions share the keys, so that each can finish a login that another began. Otherwise the key belongs to this process, and a restart
 * loses unfinished logins.
 */
function loginKeysOf(settings: Settings, own: Buffer): Buffer[] {
  return isShared(settings)
    ? settings.auth.sessionSecrets.map((secret) => sealingKeyFromSecret(secret, 'svc pending logins'))
    : [own];
}

function createSignIn(
  oidc: OidcSettings,
  { auth, policy, proxy }: Settings,
  ledger: ExpiringEntries,
  more: { now: () => number; warn: Logger['warn']; sealingKeys: readonly Buffer[] },
): SignIn {
  return new SignIn({
    ...oidc,
    proxy,
    localSubjects: new Set(auth.localUsers.map(({ subject }) => subject)),
    groupsDeny: deniesToGroups(policy),
    ledger,
    ...more,
  });
}

function isSocketRequest({ method, headers, url = '' }: IncomingMessage, basePath: string): boolean {
  const path = url.split('?', 1)[0];
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    (path === '/rpc' || path === `${basePath}/rpc`)
  );
}

function signedInBy(identify: Identify): (req: IncomingMessage) => Promise<boolean> {
  return async (req) => {
    const caller = await identify.byCredentials(readCredentials(req.headers));
    return caller !== undefined && caller.kind !== 'apiKey';
  };
}
