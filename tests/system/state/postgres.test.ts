import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PostgresSessionStore } from '../../../src/session/postgres-store.ts';
import type { StoredSession } from '../../../src/session/session.ts';
import { PostgresChanges } from '../../../src/state/postgres-changes.ts';
import { PostgresDatabase, type PostgresOptions } from '../../../src/state/postgres-database.ts';
import { migratePostgres } from '../../../src/state/postgres-migrate.ts';
import { POSTGRES_MIGRATIONS } from '../../../src/state/postgres-migrations.ts';
import { describePostgres } from '../../support/describe-postgres.ts';
import { openPostgres, PostgresServer, type OpenPostgres } from '../../support/postgres-server.ts';
import { PrivateAuthority } from '../../support/private-authority.ts';
import { isRoot, SmallDisk } from '../../support/small-disk.ts';

const LONG_MS = 30_000;
/** Tells an answer that came in time from one that did not. */
const IN_TIME_MS = 15_000;

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LONG_MS; performance.now() < end;) {
    if (await holds()) return;
    await wait(20);
  }
  throw new Error(`it did not come true within ${LONG_MS} ms`);
}

describePostgres('the state database on PostgreSQL', () => {
  let postgres: PostgresServer;
  const open: OpenPostgres[] = [];
  const instanceOf = async (options: PostgresOptions) => {
    const instance = await openPostgres(options);
    open.push(instance);
    return instance;
  };
  const writable = (database: PostgresDatabase) =>
    database.check().then(
      () => true,
      () => false,
    );

  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map(({ close }) => close()));
  });
  afterAll(() => postgres.stop());

  it('refuses within its time while the server is killed or stands still, and works again by itself', async () => {
    const said: string[] = [];
    const { database } = await instanceOf(
      await postgres.database({
        connectTimeoutMs: 1_000,
        statementTimeoutMs: 1_000,
        warn: (message) => void said.push(message),
      }),
    );
    await database.check();
    const outages: [fail: () => unknown, mend: () => unknown][] = [
      [() => postgres.kill(), () => postgres.restart()],
      [() => postgres.freeze(), () => postgres.thaw()],
    ];
    for (const [fail, mend] of outages) {
      await fail();
      const since = performance.now();
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => database.check()));
      expect(performance.now() - since).toBeLessThan(IN_TIME_MS);
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({
          status: 'rejected',
          reason: { code: 'state_unavailable', retryAfterSeconds: 2 },
        });
      await mend();
      await until(() => writable(database));
    }
    expect(said.length).toBeGreaterThanOrEqual(2);
    expect(said.join('\n')).toContain(`PostgreSQL at \`127.0.0.1:${postgres.port}\``);
    expect(said.join('\n')).not.toContain('of the tests');
  });

  it('is opened though the server is not there, and made when it comes', async () => {
    const options = await postgres.database({ connectTimeoutMs: 500 });
    await postgres.kill();
    const { database } = await instanceOf(options);
    expect(await writable(database)).toBe(false);
    await postgres.restart();
    await until(() => writable(database));
  });

  it('ends a statement that takes too long', async () => {
    const { database } = await instanceOf(await postgres.database({ statementTimeoutMs: 300 }));
    await expect(database.query('SELECT pg_sleep(20)')).rejects.toMatchObject({ code: 'state_unavailable' });
    expect(await writable(database)).toBe(true);
  });

  it('goes on when an instance stands still within a transaction', async () => {
    const options = await postgres.database({ statementTimeoutMs: 500 });
    const [still, other] = [await instanceOf(options), await instanceOf(options)];
    const lock = `SELECT FROM svc.tallies WHERE name = 'sessions' FOR UPDATE`;
    const locked = Promise.withResolvers<undefined>();
    const thawed = Promise.withResolvers<undefined>();
    const held = still.database.transaction(async (ask) => {
      await ask(lock);
      locked.resolve(undefined);
      await thawed.promise;
      await ask(lock);
    });
    held.catch(() => undefined);
    await locked.promise;
    try {
      await until(() =>
        other.database
          .transaction((ask) => ask(lock))
          .then(
            () => true,
            () => false,
          ),
      );
    } finally {
      thawed.resolve(undefined);
    }
    await expect(held).rejects.toMatchObject({ code: 'state_unavailable' });
    expect(await writable(still.database)).toBe(true);
  });

  it('says why a server cannot be used, and never the password', async () => {
    const good = await postgres.database();
    for (const [changes, words] of [
      [{ password: 'a wrong password' }, /refuses the user or password/],
      [{ database: 'nothing' }, /has no such database/],
      [{ servers: [{ host: '127.0.0.1', port: 1 }] }, /refuses the connection/],
      [{ tls: { ca: undefined, cert: undefined, key: undefined } }, /does not speak TLS/],
    ] as const) {
      const said: string[] = [];
      const { database } = await instanceOf({ ...good, ...changes, warn: (message) => void said.push(message) });
      expect(await writable(database)).toBe(false);
      expect(said[0]).toMatch(words);
      expect(said.join('\n')).not.toMatch(/a wrong password|of the tests/);
    }
  });

  describe('its schema', () => {
    it('is made once by instances that start together', async () => {
      const options = await postgres.database();
      const databases = await Promise.all(Array.from({ length: 6 }, async () => (await instanceOf(options)).database));
      for (const database of databases) expect(await writable(database)).toBe(true);
      expect(await postgres.sql('SELECT version FROM svc.migrations', options.database)).toEqual(
        POSTGRES_MIGRATIONS.map((_migration, i) => ({ version: i + 1 })),
      );
    });

    it.each([
      ['is used when a newer program made it that takes this one beside it', 1, undefined],
      [
        'is refused when a newer program made it that breaks this one',
        POSTGRES_MIGRATIONS.length + 1,
        /start the newer program/,
      ],
    ])('%s', async (_what, needs, refusal) => {
      const options = await postgres.database();
      const { database } = await instanceOf(options);
      await database.transaction((ask) =>
        migratePostgres(ask, [
          ...POSTGRES_MIGRATIONS,
          { needs, sql: 'ALTER TABLE svc.sessions ADD COLUMN of_the_next_release text' },
        ]),
      );
      const opened = openPostgres(options);
      if (refusal !== undefined)
        return expect(opened).rejects.toMatchObject({
          code: 'state_unavailable',
          detail: expect.stringMatching(refusal),
        });
      open.push(await opened);
      const stored = session('beside a newer one');
      const store = storeOf(open.at(-1)!);
      await store.insert('digest', stored, { isAdmin: false });
      expect(await store.remove('digest')).toEqual(stored);
    });

    it("is refused when it is another program's, or was changed", async () => {
      const options = await postgres.database();
      await postgres.sql('SET ROLE svc; CREATE SCHEMA svc; CREATE TABLE svc.theirs (id int)', options.database);
      await expect(openPostgres(options)).rejects.toMatchObject({
        code: 'state_unavailable',
        detail: expect.stringContaining('another program'),
      });
      const changed = await postgres.database();
      await instanceOf(changed);
      await postgres.sql(`UPDATE svc.migrations SET digest = 'another'`, changed.database);
      await expect(openPostgres(changed)).rejects.toMatchObject({
        code: 'state_unavailable',
        detail: expect.stringContaining('another program'),
      });
    });
  });

  describe('what ended on another instance', () => {
    const cut = () =>
      postgres.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc listening'`);

    it('is told once to each, those that were missed while the connection was cut by their numbers', async () => {
      const options = await postgres.database();
      const [here, there] = [await instanceOf(options), await instanceOf(options)];
      const [ours, theirs] = [storeOf(here), storeOf(there)];
      await until(() => here.changes.areKnown && there.changes.areKnown);
      const told: string[] = [];
      let missed = 0;
      theirs.onRemoved((id) => told.push(id));
      theirs.onRemovalsMissed(() => missed++);
      const ids = Array.from({ length: 30 }, (_, i) => `session-${i}`);
      for (const id of ids) {
        await ours.insert(id, session(id), { isAdmin: false });
        // Kept in memory there, so that it has to be forgotten.
        expect(await theirs.find(id)).toBeDefined();
      }
      for (const [i, id] of ids.entries()) {
        if (i % 5 === 0) await cut();
        await ours.remove(id);
      }
      await until(() => told.length === ids.length);
      expect(told).toEqual(ids);
      for (const id of ids) expect(await theirs.find(id)).toBeUndefined();
      expect(missed).toBe(0);
    });

    it('is accepted nowhere once its end was answered', async () => {
      const options = await postgres.database();
      const instances = [await instanceOf(options), await instanceOf(options), await instanceOf(options)];
      const [ours, ...theirs] = instances.map(storeOf) as [PostgresSessionStore, ...PostgresSessionStore[]];
      await until(() => instances.every(({ changes }) => changes.areKnown));
      let [accepted, kept] = [0, 0];
      for (let i = 0; i < 200; i += 1) {
        await ours.insert(`digest-${i}`, session(`session-${i}`), { isAdmin: false });
        for (const store of theirs) await store.find(`digest-${i}`);
        // Kept in memory, it is found without a question.
        kept += theirs.filter((store) => !(store.find(`digest-${i}`) instanceof Promise)).length;
        await ours.remove(`digest-${i}`);
        for (const store of theirs) if ((await store.find(`digest-${i}`)) !== undefined) accepted += 1;
      }
      expect(accepted).toBe(0);
      expect(kept).toBeGreaterThan(200);
    });

    it('is answered within about a second when another instance is lost', async () => {
      const options = await postgres.database();
      const [here, lost] = [await instanceOf(options), await instanceOf(options)];
      await until(() => here.changes.areKnown && lost.changes.areKnown);
      await wait(1100);
      await storeOf(here).insert('digest', session('one'), { isAdmin: false });
      await lost.changes.close();
      const since = performance.now();
      await storeOf(here).remove('digest');
      const took = performance.now() - since;
      expect(took).toBeGreaterThan(300);
      expect(took).toBeLessThan(10_000);
    });

    it('is asked for when the server was started again, because it may have lost something', async () => {
      const { changes, database } = await instanceOf(await postgres.database());
      let missed = 0;
      await until(() => changes.areKnown);
      changes.on('key', { changed: () => undefined, missed: () => missed++ });
      await postgres.kill();
      await until(() => !changes.areKnown);
      await postgres.restart();
      await until(() => missed === 1);
      await database.check();
    });

    it('is noticed though it was read before the first look at the changes', async () => {
      const options = await postgres.database();
      const here = await instanceOf(options);
      await storeOf(here).insert('digest', session('one'), { isAdmin: false });
      const database = await PostgresDatabase.open({ ...options, poolSize: 1 });
      const looked = Promise.withResolvers<undefined>();
      const late = new Proxy(database, {
        get: (target, name) => {
          if (name !== 'query') return Reflect.get(target, name, target) as unknown;
          return async (sql: string, values?: readonly unknown[]) => {
            if (sql.includes('latest_change')) await looked.promise;
            return target.query(sql, values);
          };
        },
      });
      const changes = new PostgresChanges(late);
      open.push({
        database,
        changes,
        close: async () => {
          await changes.close();
          await database.close();
        },
      });
      const store = storeOf({ database, changes });
      expect(await store.find('digest')).toBeDefined();
      await storeOf(here).remove('digest');
      looked.resolve(undefined);
      await until(() => changes.areKnown);
      expect(await store.find('digest')).toBeUndefined();
    });

    it('is not kept where the answer to a commit was lost', async () => {
      const { database, changes } = await instanceOf(await postgres.database());
      const store = new PostgresSessionStore({ database, changes, capacity: 10, perSubject: 1, now: Date.now });
      await until(() => changes.areKnown);
      await store.insert('first', session('one'), { isAdmin: false });
      expect(await store.find('first')).toBeDefined();
      const transaction = database.transaction.bind(database);
      database.transaction = async (work) => {
        await transaction(work);
        throw new Error('the connection was lost at the very end');
      };
      await expect(
        store.insert('second', { ...session('one more'), identity: session('one').identity }, { isAdmin: false }),
      ).rejects.toThrow('at the very end');
      database.transaction = transaction;
      expect(await store.find('first')).toBeUndefined();
    });

    it('is never taken for standing while changes are not known', async () => {
      const options = await postgres.database();
      const [here, there] = [await instanceOf(options), await instanceOf(options)];
      const blind: Pick<PostgresChanges, 'on' | 'passOn' | 'note'> & { areKnown: boolean; turn: number } = {
        areKnown: false,
        turn: 0,
        on: () => undefined,
        passOn: () => undefined,
        note: async () => undefined,
      };
      const store = new PostgresSessionStore({
        database: there.database,
        changes: blind as PostgresChanges,
        capacity: 10,
        perSubject: 10,
        now: Date.now,
      });
      await storeOf(here).insert('digest', session('one'), { isAdmin: false });
      expect(await store.find('digest')).toBeDefined();
      await storeOf(here).remove('digest');
      expect(await store.find('digest')).toBeUndefined();
    });
  });

  (isRoot ? describe : describe.skip)('without room on its disk', () => {
    it('ends a session on each instance all the same', async () => {
      const disk = new SmallDisk();
      const full = await PostgresServer.start();
      try {
        const options = await full.database();
        const [here, there] = [await instanceOf(options), await instanceOf(options)];
        const store = storeOf(there);
        await store.insert('digest', session('one'), { isAdmin: false });
        await until(() => there.changes.areKnown);
        expect(await store.find('digest')).toBeDefined();
        execFileSync('chown', ['postgres', disk.path]);
        await full.sql(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
        await full.sql('ALTER TABLE svc.changes SET TABLESPACE small', options.database);
        disk.fill();
        expect(await storeOf(here).remove('digest')).toBeDefined();
        expect(await store.find('digest')).toBeUndefined();
      } finally {
        await Promise.all(open.splice(0).map(({ close }) => close()));
        await full.stop();
        disk.remove();
      }
    });
  });

  describe('with a standby', () => {
    it('is used on the server that takes changes, whichever that is, and keeps what the standby had received', async () => {
      const primary = await PostgresServer.start();
      const standby = await PostgresServer.start({ standbyOf: primary });
      try {
        const options = {
          ...(await primary.database()),
          servers: [standby, primary].map(({ port }) => ({ host: '127.0.0.1', port })),
        };
        const instance = await instanceOf(options);
        const store = storeOf(instance);
        await store.insert('digest', session('before'), { isAdmin: false });
        const [{ lsn } = { lsn: '' }] = await primary.sql('SELECT pg_current_wal_lsn()::text AS lsn');
        await until(
          async () =>
            (await standby.sql(`SELECT pg_last_wal_replay_lsn() >= '${String(lsn)}'::pg_lsn AS there`))[0]?.[
              'there'
            ] === true,
        );
        await primary.kill();
        await expect(store.insert('other', session('lost'), { isAdmin: false })).rejects.toThrow();
        await standby.promote();
        const since = performance.now();
        await until(() => writable(instance.database));
        expect(performance.now() - since).toBeLessThan(IN_TIME_MS);
        expect(await store.find('digest')).toBeDefined();
      } finally {
        await Promise.all(open.splice(0).map(({ close }) => close()));
        await standby.stop();
        await primary.stop();
      }
    });
  });

  describe('over TLS', () => {
    let authority: PrivateAuthority;
    let secured: PostgresServer;
    let folder: string;
    let good: PostgresOptions;

    beforeAll(async () => {
      authority = new PrivateAuthority();
      folder = await mkdtemp(join(tmpdir(), 'svc-postgres-tls-'));
      secured = await PostgresServer.start({ tls: { ...authority.issue(), ca: authority.certificate } });
      good = await secured.database({ tls: { ca: [authority.certificate], ...authority.issue() } });
    });
    afterAll(async () => {
      await secured.stop();
      authority.remove();
      await rm(folder, { recursive: true });
    });

    it('shows a client certificate, and reads the password from a file for each connection', async () => {
      const passwordFile = join(folder, 'password');
      await writeFile(passwordFile, `${good.password!}\n`);
      const { database } = await instanceOf({ ...good, password: undefined, passwordFile });
      await database.check();
      await secured.sql(`ALTER ROLE svc PASSWORD 'another one'`);
      await writeFile(passwordFile, 'another one\n');
      await secured.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'svc'`);
      await until(() => writable(database));
      await secured.sql(`ALTER ROLE svc PASSWORD '${good.password!}'`);
    });

    it.each([
      ['without a client certificate', { cert: undefined, key: undefined }, /refuses the user on this connection/],
      [
        'when the authority is not known',
        { ca: undefined },
        /authority that is not trusted here .* set `state\.tls\.ca_file`/,
      ],
    ])('is not used %s', async (_what, changes, words) => {
      const said: string[] = [];
      const { database } = await instanceOf({
        ...good,
        tls: { ...good.tls!, ...changes },
        warn: (message) => void said.push(message),
      });
      expect(await writable(database)).toBe(false);
      expect(said[0]).toMatch(words);
    });
  });
});

function storeOf({ database, changes }: Pick<OpenPostgres, 'database' | 'changes'>): PostgresSessionStore {
  return new PostgresSessionStore({ database, changes, capacity: 100, perSubject: 100, now: Date.now });
}

function session(id: string): StoredSession {
  const startedAt = Date.now();
  return {
    id,
    kind: 'web',
    identity: { issuer: 'https://id.example', subject: id, groups: ['staff'] },
    name: id,
    idToken: `token of ${id}`,
    startedAt,
    expiresAt: startedAt + 3_600_000,
    address: '127.0.0.1',
  };
}
