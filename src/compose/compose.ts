import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AuditStore } from '../audit/audit-store.ts';
import type { Settings } from '../config/read/settings.ts';
import { clientAddressBehind } from '../http/routing/client-address.ts';
import type { Route } from '../http/routing/route.ts';
import type { Messages } from '../http/own-messages.ts';
import type { Metrics } from '../http/rows/metrics.ts';
import type { ReadinessCheck } from '../http/rows/routes-health.ts';
import type { Logger } from '../log/logger.ts';
import { FolderWatches } from '../access/folder-watches.ts';
import { ObjectChanges } from '../access/object-changes.ts';
import { RpcSocket } from '../rpc/socket.ts';
import type { Sessions } from '../session/sessions.ts';
import type { SharedMemory } from '../workers/shared-memory.ts';
import { joinAccess } from './access.ts';
import { openAudit } from './audit.ts';
import { Closing } from './closing.ts';
import { joinHttp } from './http.ts';
import { joinOperations } from './operations.ts';
import { joinS3 } from './s3.ts';
import { joinSignIn } from './sign-in.ts';
import { joinStorage } from './storage.ts';
import { openStores, type Stores } from './stores.ts';
import { openThumbnails } from './thumbnails.ts';

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
  /** The classes of the server's requests and answers, when it has its own. */
  readonly messages?: Messages | undefined;
  /** What the workers of a service share; set when this process is one of them. */
  readonly shared?: SharedMemory | undefined;
};

/** The connected parts of the service, not yet listening. */
export type Composition = {
  readonly app: RequestListener;
  readonly rows: readonly Route[];
  /** Answers S3 tools; undefined without `s3`. */
  readonly s3: RequestListener | undefined;
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

/** The composition root: the only place where parts are chosen and connected. When a part does not open, those that are open are closed. */
export async function compose(settings: Settings, options: ComposeOptions): Promise<Composition> {
  const closing = new Closing();
  try {
    return await joinParts(settings, options, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function joinParts(
  settings: Settings,
  {
    log,
    version,
    webDirectory,
    now = Date.now,
    entriesCapacity,
    shared,
    messages,
    bodyDeadlineMs = BODY_DEADLINE_MS,
  }: ComposeOptions,
  closing: Closing,
): Promise<Composition> {
  const { server } = settings;
  const stores = await openStores(settings, { now, log, entriesCapacity, shared });
  closing.next(stores.close);
  const metrics =
    server.metrics === undefined ? undefined : new (await import('../http/rows/metrics.ts')).Metrics(version);
  const changes = new ObjectChanges(stores.objectNotices);
  closing.next(async () => changes.close());
  const onChanged = changes.note.bind(changes);
  const { lines, questions, store } = await openAudit(settings.audit, metrics, { log, now, onChanged });
  // The other parts write to the audit while they close.
  closing.last(async () => store?.close());
  closing.next(async () => questions?.close());
  const access = joinAccess(settings, stores, now);
  // Sessions and keys write to their stores while they close.
  closing.first(access.close);
  await access.enforceSuspensions();
  const storage = joinStorage(settings, { onCall: metrics?.stored, turns: shared?.turns, now });
  closing.next(storage.close);
  const signIn = joinSignIn(settings, stores, access, { log, now });
  closing.next(signIn.close);
  const pictures = settings.thumbnails && (await openThumbnails(settings.thumbnails, log));
  closing.next(async () => pictures?.close());
  const { performer, dispatch } = joinOperations(settings, {
    access,
    storage,
    lines,
    audit: questions,
    places: stores.placeStore,
    auditStore: store,
    signIns: signIn.records,
    thumbnails: pictures?.thumbnails,
    version,
    log,
  });

  const { identify, ownOrigin, sessions, watch } = access;
  const addressOf = clientAddressBehind(server.trustedProxies);
  const folders = new FolderWatches(changes);
  const socket = new RpcSocket({ identify, dispatch, performer, watch, folders, ownOrigin, addressOf, log });
  const checks = readinessChecks(sessions, stores.checkState, store);
  metrics?.read({
    sessions: () => sessions.count(),
    sockets: () => socket.size,
    certificateEndsAt: signIn.certificateEndsAt,
    checks,
    audit: store,
  });
  const { app, rows } = joinHttp(settings, {
    access,
    signIn,
    performer,
    dispatch,
    audit: lines,
    checks,
    version,
    webDirectory,
    log,
    addressOf,
    bodyDeadlineMs,
    metrics,
    messages,
    sharedCounts: stores.counts,
  });
  const s3 = await joinS3(settings, { access, storage, performer, lines, addressOf, bodyDeadlineMs, log, now });
  closing.next(async () => s3?.close());
  return {
    app,
    rows,
    s3: s3?.listener,
    metrics,
    sessions,
    upgrade: (req, stream, head) => void socket.upgrade(req, stream, head),
    closeSockets: () => socket.close(),
    takeOver: (next) => {
      for (const part of [access, storage, signIn]) part.takeOver(next);
      s3?.takeOver(next);
      socket.endUnverified();
      return access.policies.revision;
    },
    close: async () => {
      await socket.close();
      await closing.close();
    },
  };
}

function readinessChecks(
  sessions: Sessions,
  checkState: Stores['checkState'],
  auditStore: AuditStore | undefined,
): readonly ReadinessCheck[] {
  return [
    { name: 'session_store', check: () => sessions.check() },
    ...(checkState === undefined ? [] : [{ name: 'state_database', check: checkState }]),
    ...(auditStore === undefined ? [] : [{ name: 'audit', check: () => auditStore.check() }]),
  ];
}
