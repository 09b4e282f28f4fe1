import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { API_KEYS } from '../../src/apikey/api-key.ts';
import { PostgresKeyStore } from '../../src/key/postgres-store.ts';
import { SqliteKeyStore } from '../../src/key/sqlite-store.ts';
import { PostgresSessionStore } from '../../src/session/postgres-store.ts';
import { RedisSessionStore } from '../../src/session/redis-store.ts';
import { SqliteSessionStore } from '../../src/session/sqlite-store.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { RedisConnection } from '../../src/state/redis-connection.ts';
import { openPostgres, type PostgresServer } from '../../tests/support/postgres-server.ts';
import { RedisServer } from '../../tests/support/redis-server.ts';

/** Looks up a session or key by its number. */
export type Find = (i: number) => unknown;
/** A store with nothing in memory, as an instance has it after its start. */
export type Fresh = () => Find;
export type Filling = { readonly sessions: number; readonly keys: number };
export type Filled = { readonly sessions: Fresh; readonly keys?: Fresh; close(): Promise<void> };
export type PlaceKind = { readonly name: string; readonly open: (filling: Filling) => Promise<Filled> };

const LIMITS = { capacity: 2_000_000, perSubject: 64, now: Date.now };
const IN_AN_HOUR = Date.now() + 3_600_000;
const GROUPS = '["staff","engineering","everybody"]';
const SCOPE = '{"rules":[{"actions":["objects:read"],"resources":[{"type":"all"}]}]}';
const ID_TOKEN = 'x'.repeat(1_000);
const SESSION_VALUES = 'digest, id, kind, issuer, subject, groups, name, id_token, started_at, expires_at';
const KEY_VALUES =
  'id, verifier, revision, description, scope, creator_issuer, creator_subject, creator_groups, creator_name, created_at';

/** The digest of session `i` or the id of key `i`: as long as a real one, and growing, because a database takes a million in order in a tenth of the time. */
const nameOf = (i: number): string => String(i).padStart(64, '0');

function fresh(open: () => { find(name: string): unknown }): Fresh {
  return () => {
    const store = open();
    return (i) => store.find(nameOf(i));
  };
}

export const SQLITE: PlaceKind = {
  name: 'SQLite',
  open: async ({ sessions, keys }) => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-growth-'));
    const path = join(directory, 'state.db');
    StateDatabase.open(path).close();
    const file = new DatabaseSync(path);
    file.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN');
    const insertSession = file.prepare(
      `INSERT INTO sessions (${SESSION_VALUES}) VALUES (?, ?, 'web', 'https://issuer.example', ?, '${GROUPS}', 'A Person', '${ID_TOKEN}', 0, ${IN_AN_HOUR})`,
    );
    for (let i = 0; i < sessions; i += 1) insertSession.run(nameOf(i), nameOf(i), nameOf(i));
    const insertKey = file.prepare(
      `INSERT INTO api_keys (${KEY_VALUES}) VALUES (?, x'00', 1, 'a key', '${SCOPE}', 'https://issuer.example', ?, '${GROUPS}', 'A Person', 0)`,
    );
    for (let i = 0; i < keys; i += 1) insertKey.run(nameOf(i), nameOf(i));
    file.exec('COMMIT');
    file.close();
    const database = StateDatabase.open(path);
    const close = async () => {
      database.close();
      await rm(directory, { recursive: true });
    };
    return {
      sessions: fresh(() => new SqliteSessionStore({ database, ...LIMITS })),
      keys: fresh(() => new SqliteKeyStore(database, API_KEYS)),
      close,
    };
  },
};

export function postgresPlace(postgres: PostgresServer): PlaceKind {
  return {
    name: 'PostgreSQL',
    open: async ({ sessions, keys }) => {
      const options = await postgres.database({ statementTimeoutMs: 300_000 });
      const { database, changes, close } = await openPostgres(options);
      await postgres.sql(
        `INSERT INTO svc.sessions (${SESSION_VALUES}) SELECT lpad(i::text, 64, '0'), 'id-' || i, 'web', 'https://issuer.example', 'subject-' || i, '${GROUPS}', 'A Person', '${ID_TOKEN}', 0, ${IN_AN_HOUR} FROM generate_series(0, ${sessions - 1}) AS i;
         INSERT INTO svc.api_keys (${KEY_VALUES}) SELECT lpad(i::text, 64, '0'), '\\x00', 1, 'a key', '${SCOPE}', 'https://issuer.example', 'subject-' || i, '${GROUPS}', 'A Person', 0 FROM generate_series(0, ${keys - 1}) AS i`,
        options.database,
      );
      await postgres.sql('VACUUM ANALYZE', options.database);
      return {
        sessions: fresh(() => new PostgresSessionStore({ database, changes, ...LIMITS })),
        keys: fresh(() => new PostgresKeyStore({ database, changes }, API_KEYS)),
        close,
      };
    },
  };
}

export const REDIS: PlaceKind = {
  name: 'Redis',
  open: async ({ sessions }) => {
    const redis = await RedisServer.start('--appendonly', 'no', '--save', '');
    const connection = await RedisConnection.open({ url: redis.url, warn: console.error });
    for (let from = 0; from < sessions; from += 10_000) {
      const some: [string, string][] = [];
      for (let i = from; i < Math.min(sessions, from + 10_000); i += 1) {
        const identity = {
          issuer: 'https://issuer.example',
          subject: `subject-${i}`,
          groups: JSON.parse(GROUPS) as string[],
        };
        some.push([
          `${connection.prefix}session:${nameOf(i)}`,
          JSON.stringify({
            id: `id-${i}`,
            kind: 'web',
            identity,
            name: 'A Person',
            startedAt: 0,
            expiresAt: IN_AN_HOUR,
          }),
        ]);
      }
      await connection.run((client) => client.mSet(some));
    }
    const close = async () => {
      await connection.close();
      await redis.stop();
    };
    return {
      sessions: fresh(() => new RedisSessionStore({ connection, perSubject: LIMITS.perSubject, now: Date.now })),
      close,
    };
  },
};
