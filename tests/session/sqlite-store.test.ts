import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Sessions } from '../../src/session/sessions.ts';
import { SqliteSessionStore } from '../../src/session/sqlite-store.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { NOTICED_MS } from '../../src/state/notices.ts';
import { lockFromElsewhere } from '../state/lock-holder.ts';

const ADA = {
  kind: 'web',
  identity: { issuer: 'https://id.example', subject: 'ada', groups: [] },
  name: 'Ada',
  idToken: 'h.p.s',
  address: '127.0.0.1',
} as const;

let directory: string;
let path: string;
const databases: StateDatabase[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-state-'));
  path = join(directory, 'state.db');
});

afterEach(async () => {
  for (const database of databases.splice(0)) database.close();
  await rm(directory, { recursive: true });
});

function openSessions(): Sessions {
  const database = StateDatabase.open(path);
  databases.push(database);
  return new Sessions({
    store: new SqliteSessionStore({ database, capacity: 10, perSubject: 10, now: Date.now }),
    ttlSeconds: 60,
    isAdmin: () => false,
    now: Date.now,
  });
}

describe('Sessions in the state database', () => {
  it('end at a sign-out on a full disk too, and their rows go when there is room', async () => {
    const sessions = openSessions();
    const [signedOut, revoked] = [await sessions.start(ADA), await sessions.start(ADA)];
    const told: string[] = [];
    sessions.onEnded((id) => void told.push(id));
    const database = databases[0]!;
    database.prepare('PRAGMA query_only = 1').get();
    await expect(sessions.end(signedOut.credential)).rejects.toMatchObject({ code: 'session_store_unavailable' });
    await expect(sessions.endById(revoked.session.id)).rejects.toMatchObject({ code: 'session_store_unavailable' });
    const store = new SqliteSessionStore({ database, capacity: 10, perSubject: 10, now: Date.now });
    await expect(store.removeById('of nobody')).rejects.toMatchObject({ code: 'state_unavailable' });
    for (const { credential } of [signedOut, revoked]) expect(await sessions.find(credential)).toBeUndefined();
    expect(told).toEqual([signedOut.session.id, revoked.session.id]);

    database.prepare('PRAGMA query_only = 0').get();
    const after = await sessions.start(ADA);
    expect(database.prepare('SELECT id FROM sessions').all()).toEqual([{ id: after.session.id }]);
  });

  it('do not come back at a restart when they ended while the database could not be written', async () => {
    const sessions = openSessions();
    const { credential } = await sessions.start(ADA);
    const unlock = await lockFromElsewhere(path);
    await expect(sessions.end(credential)).rejects.toMatchObject({ code: 'session_store_unavailable' });
    await unlock();
    const rows = databases[0]!.prepare('SELECT id FROM sessions');
    for (const end = Date.now() + 20_000; rows.all().length > 0 && Date.now() < end;) await wait(50);
    databases.pop()?.close();
    expect(await openSessions().find(credential)).toBeUndefined();
  });

  it('do not come back either when the service stops as soon as the database can be written', async () => {
    const database = StateDatabase.open(path);
    databases.push(database);
    const store = new SqliteSessionStore({ database, capacity: 10, perSubject: 10, now: Date.now });
    const sessions = new Sessions({ store, ttlSeconds: 60, isAdmin: () => false, now: Date.now });
    const { credential } = await sessions.start(ADA);
    database.prepare('PRAGMA query_only = 1').get();
    await expect(sessions.end(credential)).rejects.toMatchObject({ code: 'session_store_unavailable' });
    await expect(store.close()).resolves.toBeUndefined();
    database.prepare('PRAGMA query_only = 0').get();
    await store.close();
    databases.pop()?.close();
    expect(await openSessions().find(credential)).toBeUndefined();
  });

  it('are there again after a restart', async () => {
    const { credential, session } = await openSessions().start(ADA);
    databases.pop()?.close();
    const sessions = openSessions();
    expect(await sessions.find(credential)).toEqual(session);
    expect((await sessions.end(credential))?.idToken).toBe('h.p.s');
  });

  it('are counted as they come and go, also by another process, in bulk, and in vain', async () => {
    const [here, there] = [openSessions(), openSessions()];
    const [first] = [await here.start(ADA), await there.start(ADA), await here.start(ADA)];
    await there.end(first.credential);
    const elsewhere = databases[1]!;
    await expect(
      elsewhere.write(() => {
        elsewhere.prepare('DELETE FROM sessions').run();
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    const kept = 'SELECT (SELECT count FROM tallies) AS tally, (SELECT count(*) FROM sessions) AS rows';
    expect(elsewhere.prepare(kept).get()).toEqual({ tally: 2, rows: 2 });
    elsewhere.prepare('UPDATE sessions SET expires_at = 1').run();
    expect(
      await new SqliteSessionStore({ database: elsewhere, capacity: 10, perSubject: 10, now: Date.now }).count(),
    ).toBe(0);
    await here.start(ADA);
    expect(elsewhere.prepare(kept).get()).toEqual({ tally: 1, rows: 1 });
  });

  it('are gone within a second when another process ended them, with a word to look again', async () => {
    const [here, there] = [openSessions(), openSessions()];
    const { credential } = await here.start(ADA);
    await here.find(credential);
    await wait(600);
    let told = 0;
    here.onEndsMissed(() => told++);
    await there.end(credential);
    await wait(900);
    expect(told).toBe(1);
    expect(await here.find(credential)).toBeUndefined();
  });

  it('are not accepted by a process that stood still while they ended', async () => {
    const [here, there] = [openSessions(), openSessions()];
    const { credential } = await here.start(ADA);
    expect(await here.find(credential)).toBeDefined();
    await there.end(credential);
    // The process does nothing in this time, also no timer.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NOTICED_MS);
    expect(await here.find(credential)).toBeUndefined();
  });

  it('do not stay in the memory of a process that is told of their end once their rows are gone', async () => {
    const here = StateDatabase.open(path);
    const there = StateDatabase.open(path);
    databases.push(here, there);
    let tell: (names: readonly string[]) => void = () => undefined;
    const notices = {
      on: (_kind: string, listener: typeof tell) => void (tell = listener),
      tell: async () => undefined,
    };
    const limits = { capacity: 10, perSubject: 10, now: Date.now };
    const store = new SqliteSessionStore({ database: here, notices, ...limits });
    const other = new SqliteSessionStore({ database: there, ...limits });
    const session = { ...ADA, id: 'id', startedAt: Date.now(), expiresAt: Date.now() + 60_000 };
    const insert = () => other.insert('digest', { ...session, login: undefined }, { isAdmin: false });
    // A digest that comes again, which is the only way to see whether it is still known as ended.
    await insert();
    await other.remove('digest');
    tell(['digest', 'id']);
    await insert();
    expect(await store.find('digest')).toMatchObject({ id: 'id' });

    tell(['digest', 'id']);
    expect(await store.find('digest')).toBeUndefined();
    const looked = new Promise<void>((resolve) => store.onRemovalsMissed(resolve));
    await other.remove('digest');
    await looked;
    await insert();
    expect(await store.find('digest')).toMatchObject({ id: 'id' });
  });

  it('are found and neither started nor ended while another process holds the database', async () => {
    const sessions = openSessions();
    const { credential, session } = await sessions.start(ADA);
    const unlock = await lockFromElsewhere(path);
    const [found, started, ended] = await Promise.allSettled([
      sessions.find(credential),
      sessions.start(ADA),
      sessions.end(credential),
    ]);
    expect(found).toEqual({ status: 'fulfilled', value: session });
    expect(started).toMatchObject({ status: 'rejected', reason: { code: 'session_store_unavailable' } });
    expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'session_store_unavailable' } });
    await unlock();
    expect((await sessions.end(credential))?.id).toBe(session.id);
  });
});
