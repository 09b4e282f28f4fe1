import type { KeyStore } from '../key/key-store.ts';
import { API_KEYS } from '../apikey/api-key.ts';
import { S3_KEYS } from '../s3key/s3-keys.ts';
import { SqliteKeyStore } from '../key/sqlite-store.ts';
import { SqliteSuspensionStore } from '../key/sqlite-suspensions.ts';
import type { PlaceStore } from '../place/kept-places.ts';
import { sqlitePlaces } from '../place/sqlite-places.ts';
import type { SuspensionStore } from '../key/suspensions.ts';
import type { PostgresSettings, Settings } from '../config/read/settings.ts';
import type { Logger } from '../log/logger.ts';
import { MemorySessionStore } from '../session/memory-store.ts';
import type { SessionStore } from '../session/session-store.ts';
import { SqliteSessionStore } from '../session/sqlite-store.ts';
import type { Counts } from '../state/counts.ts';
import { StateDatabase } from '../state/database.ts';
import type { ExpiringEntries } from '../state/expiring-entries.ts';
import { MemoryEntries } from '../state/memory-entries.ts';
import { MemoryRecentTexts, type RecentTexts } from '../state/recent-texts.ts';
import type { ObjectNotices } from '../state/notices.ts';
import type { SharedMemory } from '../workers/shared-memory.ts';

export type StoresOptions = {
  readonly now: () => number;
  readonly log: Logger;
  readonly entriesCapacity: number | undefined;
  /** Set in a worker, in place of its own memory. */
  readonly shared: SharedMemory | undefined;
};

export type EntryKind = 'tickets' | 'ended logins' | 'used logins' | 'desktop codes';

export type Stores = {
  readonly sessionStore: SessionStore;
  /** Undefined without a state database. */
  readonly apiKeyStore: KeyStore | undefined;
  readonly s3KeyStore: KeyStore | undefined;
  readonly suspensionStore: SuspensionStore | undefined;
  readonly placeStore: PlaceStore | undefined;
  /** Makes a separate store for each kind of entry, so that one kind cannot use up the capacity of another. */
  readonly newEntries: (kind: EntryKind) => ExpiringEntries;
  /** The latest sign-ins. */
  readonly recent: RecentTexts;
  /** Undefined when each instance counts for itself. */
  readonly counts: Counts | undefined;
  /** Tells the other processes of the service which objects changed; undefined when there are none. */
  readonly objectNotices: ObjectNotices | undefined;
  /** Resolves when the state database can be written to. Undefined without one. */
  readonly checkState: (() => Promise<void>) | undefined;
  readonly close: () => Promise<void>;
};

type Closer = () => Promise<void> | void;
type SessionParts = Pick<Stores, 'sessionStore' | 'newEntries' | 'recent' | 'counts'> &
  Partial<Pick<Stores, 'objectNotices'>>;
/** The stores of a state database. `sessions` is called only when the configuration keeps sessions in it. */
type State = Pick<Stores, 'apiKeyStore' | 's3KeyStore' | 'suspensionStore' | 'placeStore' | 'checkState'> & {
  readonly objectNotices?: ObjectNotices;
  readonly sessions: () => SessionParts;
};

/** Whether several processes share sessions and pending sign-ins. */
export function isShared({ auth: { session }, server, state }: Settings): boolean {
  return (
    server.workers !== 1 || session.type === 'redis' || (session.type === 'database' && state?.type === 'postgres')
  );
}

/** Opens the stores that the settings name. */
export async function openStores(settings: Settings, options: StoresOptions): Promise<Stores> {
  const closers: Closer[] = [];
  const close = async () => {
    for (const closer of closers) await closer();
  };
  try {
    const state = await openState(settings, options, closers);
    const sessions = await openSessions(settings, state, options, closers);
    return {
      ...sessions,
      apiKeyStore: state?.apiKeyStore,
      s3KeyStore: state?.s3KeyStore,
      suspensionStore: state?.suspensionStore,
      placeStore: state?.placeStore,
      checkState: state?.checkState,
      objectNotices: sessions.objectNotices ?? state?.objectNotices ?? options.shared?.objectNotices,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openState(settings: Settings, options: StoresOptions, closers: Closer[]): Promise<State | undefined> {
  if (settings.state === undefined) return undefined;
  if (settings.state.type === 'postgres') return openPostgres(settings, settings.state, options, closers);
  const database = StateDatabase.open(settings.state.path);
  closers.push(() => database.close());
  return {
    apiKeyStore: new SqliteKeyStore(database, API_KEYS, options.shared?.notices),
    s3KeyStore: new SqliteKeyStore(database, S3_KEYS, options.shared?.notices),
    suspensionStore: new SqliteSuspensionStore(database),
    placeStore: sqlitePlaces(database),
    checkState: () => database.check(),
    sessions: () => {
      const sessionStore = new SqliteSessionStore({
        database,
        notices: options.shared?.notices,
        ...limitsOf(settings, options),
      });
      closers.unshift(() => sessionStore.close());
      return { sessionStore, ...inMemory(options) };
    },
  };
}

/** The PostgreSQL client is loaded only when it is used. */
async function openPostgres(
  settings: Settings,
  postgres: PostgresSettings,
  options: StoresOptions,
  closers: Closer[],
): Promise<State> {
  const [
    { PostgresDatabase },
    { PostgresChanges },
    { PostgresKeyStore },
    { PostgresSuspensionStore },
    { postgresPlaces },
    { PostgresSessionStore },
    { PostgresEntries },
    { PostgresRecentTexts },
    { PostgresCounts },
    { PostgresObjectNotices },
  ] = await Promise.all([
    import('../state/postgres-database.ts'),
    import('../state/postgres-changes.ts'),
    import('../key/postgres-store.ts'),
    import('../key/postgres-suspensions.ts'),
    import('../place/postgres-places.ts'),
    import('../session/postgres-store.ts'),
    import('../state/postgres-entries.ts'),
    import('../state/postgres-recent-texts.ts'),
    import('../state/postgres-counts.ts'),
    import('../state/postgres-object-notices.ts'),
  ]);
  const database = await PostgresDatabase.open({ ...postgres, warn: (message) => options.log.error(message) });
  const changes = new PostgresChanges(database);
  closers.push(
    () => changes.close(),
    () => database.close(),
  );
  return {
    apiKeyStore: new PostgresKeyStore({ database, changes }, API_KEYS),
    s3KeyStore: new PostgresKeyStore({ database, changes }, S3_KEYS),
    suspensionStore: new PostgresSuspensionStore(database),
    placeStore: postgresPlaces(database),
    checkState: () => database.check(),
    objectNotices: new PostgresObjectNotices(database, changes),
    sessions: () => {
      const entries = new PostgresEntries({ database, now: options.now });
      closers.unshift(() => entries.close());
      return {
        sessionStore: new PostgresSessionStore({ database, changes, ...limitsOf(settings, options) }),
        newEntries: () => entries,
        recent: new PostgresRecentTexts(database),
        counts: new PostgresCounts({ database, now: options.now }),
      };
    },
  };
}

async function openSessions(
  settings: Settings,
  state: State | undefined,
  options: StoresOptions,
  closers: Closer[],
): Promise<SessionParts> {
  const { session } = settings.auth;
  if (session.redis !== undefined) {
    // The Redis client is more than half of the service's modules, so it is loaded only when it is used.
    const [
      { RedisConnection },
      { RedisSessionStore },
      { RedisEntries },
      { RedisRecentTexts },
      { RedisCounts },
      { RedisObjectNotices },
    ] = await Promise.all([
      import('../state/redis-connection.ts'),
      import('../session/redis-store.ts'),
      import('../state/redis-entries.ts'),
      import('../state/redis-recent-texts.ts'),
      import('../state/redis-counts.ts'),
      import('../state/redis-object-notices.ts'),
    ]);
    const { now, log } = options;
    const connection = await RedisConnection.open({ ...session.redis, warn: (message) => log.error(message) });
    const sessionStore = new RedisSessionStore({ connection, perSubject: session.perSubject, now });
    closers.unshift(() => sessionStore.close());
    return {
      sessionStore,
      newEntries: () => new RedisEntries({ connection, now }),
      recent: new RedisRecentTexts(connection),
      counts: new RedisCounts({ connection, now }),
      objectNotices: new RedisObjectNotices(connection),
    };
  }
  if (session.type === 'database' && state !== undefined) return state.sessions();
  return {
    sessionStore: new MemorySessionStore(limitsOf(settings, options)),
    ...inMemory(options),
  };
}

function limitsOf(
  { auth: { session } }: Settings,
  { now }: StoresOptions,
): { readonly capacity: number; readonly perSubject: number; readonly now: () => number } {
  return { capacity: session.capacity, perSubject: session.perSubject, now };
}

/** What is lost when the service stops. Workers keep it in the memory that they share. */
function inMemory({ now, entriesCapacity: capacity, shared }: StoresOptions): Omit<SessionParts, 'sessionStore'> {
  if (shared !== undefined)
    return { newEntries: (kind) => shared.entries(kind), recent: shared.recent, counts: shared.counts };
  return {
    newEntries: () => new MemoryEntries({ now, ...(capacity !== undefined && { capacity }) }),
    recent: new MemoryRecentTexts(),
    counts: undefined,
  };
}
