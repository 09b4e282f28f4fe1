import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SvcError } from '../../src/errors/svc-error.ts';
import { digestOf } from '../../src/secret/secret.ts';
import { EndedLogins } from '../../src/session/ended-logins.ts';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import type { ProviderLogin } from '../../src/session/session.ts';
import type { SessionStore } from '../../src/session/session-store.ts';
import { Sessions } from '../../src/session/sessions.ts';
import { MemoryEntries } from '../../src/state/memory-entries.ts';
import { Clock } from '../support/clock.ts';

const ADA = {
  kind: 'web',
  identity: { issuer: 'https://id.example', subject: 'ada', groups: ['staff'] },
  name: 'Ada',
  idToken: 'h.p.s',
  address: '127.0.0.1',
} as const;

function open(changes: { capacity?: number; store?: SessionStore } = {}) {
  const clock = new Clock();
  const store =
    changes.store ?? new MemorySessionStore({ capacity: changes.capacity ?? 10, perSubject: 10, now: clock.now });
  return {
    clock,
    store,
    sessions: new Sessions({
      store,
      ttlSeconds: 60,
      isAdmin: ({ groups }) => groups.includes('admins'),
      now: clock.now,
    }),
  };
}

describe('Sessions', () => {
  it('lets an administrator in where all sessions are in use', async () => {
    const { sessions } = open({ capacity: 1 });
    await sessions.start(ADA);
    await expect(sessions.start({ ...ADA, identity: { ...ADA.identity, subject: 'bob' } })).rejects.toMatchObject({
      code: 'session_capacity',
    });
    await sessions.start({ ...ADA, identity: { ...ADA.identity, subject: 'root', groups: ['admins'] } });
    expect(await sessions.list()).toHaveLength(2);
  });

  it('starts a session that its credential finds, for as long as its time to live', async () => {
    const { clock, sessions } = open();
    const { credential, session } = await sessions.start(ADA);
    expect(session).toMatchObject({
      kind: 'web',
      identity: ADA.identity,
      name: 'Ada',
      startedAt: clock.now(),
      expiresAt: clock.now() + 60_000,
    });
    expect(await sessions.find(credential)).toEqual(session);
    expect(await sessions.findByDigest(digestOf(credential))).toEqual(session);
    clock.advance(60_000);
    expect(await sessions.find(credential)).toBeUndefined();
  });

  it('makes credentials of 256 random bits, and ids that do not give them away', async () => {
    const { sessions } = open();
    const started = await Promise.all([sessions.start(ADA), sessions.start(ADA)]);
    for (const { credential, session } of started) {
      expect(credential).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(session.id).toMatch(/^[0-9a-f]{24}$/);
      expect(await sessions.find(session.id)).toBeUndefined();
      expect(await sessions.findByDigest(session.id)).toBeUndefined();
    }
    expect(new Set(started.flatMap(({ credential, session }) => [credential, session.id])).size).toBe(4);
  });

  it('takes a snapshot of the groups', async () => {
    const { sessions } = open();
    const groups = ['staff'];
    const { credential } = await sessions.start({ ...ADA, identity: { ...ADA.identity, groups } });
    groups.push('admins');
    expect((await sessions.find(credential))?.identity.groups).toEqual(['staff']);
  });

  it('shows the ID Token to whoever ends the session, and to nobody else', async () => {
    const { sessions } = open();
    const { credential, session } = await sessions.start(ADA);
    expect(JSON.stringify([session, await sessions.find(credential), await sessions.list()])).not.toContain('h.p.s');
    expect((await sessions.end(credential))?.idToken).toBe('h.p.s');
    expect(await sessions.end(credential)).toBeUndefined();
    expect(await sessions.find(credential)).toBeUndefined();
  });

  it('tells of ends, by credential and by id', async () => {
    const { sessions } = open();
    const ended: string[] = [];
    sessions.onEnded((id) => ended.push(id));
    const one = await sessions.start(ADA);
    const two = await sessions.start(ADA);
    await sessions.end(one.credential);
    expect(await sessions.endById(two.session.id)).toEqual(two.session);
    expect(ended).toEqual([one.session.id, two.session.id]);
  });

  it('refuses a session over the capacity as such', async () => {
    const { sessions } = open({ capacity: 1 });
    await sessions.start(ADA);
    await expect(sessions.start(ADA)).rejects.toMatchObject({ code: 'session_capacity' });
  });
});

/** Each method of a store, failing in the same way. */
function failing(fail: () => Promise<never>): SessionStore {
  return {
    insert: fail,
    find: fail,
    remove: fail,
    removeById: fail,
    ofLogin: fail,
    count: fail,
    list: fail,
    check: fail,
    close: async () => undefined,
    onRemoved: () => undefined,
    recordUses: fail,
    onRemovalsMissed: () => undefined,
  };
}

const QUESTIONS: readonly [string, (sessions: Sessions) => Promise<unknown>][] = [
  ['start', (sessions) => sessions.start(ADA)],
  ['find', (sessions) => sessions.find('c')],
  ['end', (sessions) => sessions.end('c')],
  ['endById', (sessions) => sessions.endById('i')],
  ['list', (sessions) => sessions.list()],
  ['count', (sessions) => sessions.count()],
  [
    'closeLogin',
    (sessions) =>
      sessions.closeLogin({ login: { issuer: 'https://id.example', sid: 's' }, at: 0, tokenId: 't', until: 0 }),
  ],
  ['check', (sessions) => sessions.check()],
];

describe.each(QUESTIONS)('Sessions.%s', (_name, ask) => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each<[string, Error]>([
    ['ENOENT', Object.assign(new Error('secret path'), { code: 'ENOENT' })],
    ['an error of ours', new SvcError('state_unavailable', { detail: 'secret path' })],
  ])('answers session_store_unavailable when the store fails with %s', async (_what, error) => {
    const { sessions } = open({ store: failing(() => Promise.reject(error)) });
    const failure = await ask(sessions).catch((e: unknown) => e);
    expect(failure).toMatchObject({ code: 'session_store_unavailable' });
    expect(String(failure)).not.toContain('secret path');
  });

  it('answers session_store_unavailable when the store throws at once', async () => {
    const store = failing(() => {
      throw new Error('at once');
    });
    await expect(ask(open({ store }).sessions)).rejects.toMatchObject({ code: 'session_store_unavailable' });
  });

  it('waits two seconds for the store and no longer', async () => {
    jest.useFakeTimers();
    const { sessions } = open({ store: failing(() => new Promise<never>(() => undefined)) });
    let failure: unknown;
    const asked = ask(sessions).catch((error: unknown) => (failure = error));
    await jest.advanceTimersByTimeAsync(1_999);
    expect(failure).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    await asked;
    expect(failure).toMatchObject({ code: 'session_store_unavailable' });
  });
});

describe('a person whom an administrator has suspended', () => {
  it('gets no session, and others do', async () => {
    const clock = new Clock();
    const store = new MemorySessionStore({ capacity: 10, perSubject: 10, now: clock.now });
    const started: string[] = [];
    const sessions = new Sessions({
      store,
      ttlSeconds: 60,
      isAdmin: () => false,
      isSuspended: async ({ subject }) => subject === 'ada' && (await store.count()) === 1,
      onStarted: async ({ subject }) => void started.push(subject),
      now: clock.now,
    });
    await expect(sessions.start(ADA)).rejects.toMatchObject({
      code: 'person_suspended',
      detail: expect.stringContaining('an administrator has suspended you'),
    });
    expect([await sessions.count(), started]).toEqual([0, []]);
    await sessions.start({ ...ADA, identity: { ...ADA.identity, subject: 'bob' } });
    expect([await sessions.count(), started]).toEqual([1, ['bob']]);
  });

  it('gets no session while it cannot be looked up whether they are suspended', async () => {
    const clock = new Clock();
    const sessions = new Sessions({
      store: new MemorySessionStore({ capacity: 10, perSubject: 10, now: clock.now }),
      ttlSeconds: 60,
      isAdmin: () => false,
      isSuspended: () => Promise.reject(new SvcError('state_unavailable')),
      now: clock.now,
    });
    await expect(sessions.start(ADA)).rejects.toMatchObject({ code: 'session_store_unavailable' });
  });
});

/** Sessions of a provider that reports logouts. */
function openWithLogouts() {
  const { clock, store } = open();
  const endedLogins = new EndedLogins({ entries: new MemoryEntries({ now: clock.now }), now: clock.now });
  const sessions = new Sessions({ store, endedLogins, ttlSeconds: 60, isAdmin: () => false, now: clock.now });
  return { clock, sessions };
}

describe('a login that the provider has ended twice', () => {
  it.each([
    ['in whichever order they are told', false],
    ['when both are told at once', true],
  ])('stays ended up to the later of both, %s', async (_when, atOnce) => {
    const { clock, sessions } = openWithLogouts();
    const close = (at: number) =>
      sessions.closeLogin({
        login: { issuer: ADA.identity.issuer, sub: 'ada' },
        at,
        tokenId: `of ${at}`,
        until: clock.now() + 1_000,
      });
    if (atOnce) await Promise.all([close(100), close(50)]);
    else for (const at of [100, 50]) await close(at);
    const start = (issuedAt: number) => sessions.start({ ...ADA, login: { sub: 'ada', issuedAt } });
    await expect(start(80)).rejects.toMatchObject({ code: 'login_rejected' });
    await expect(start(101)).resolves.toBeDefined();
  });
});

describe('a login that the provider has ended', () => {
  it('is refused for the 11 minutes in which a sign-in with it can still be under way', async () => {
    const { clock, sessions } = openWithLogouts();
    const login = { issuer: ADA.identity.issuer, sub: 'ada' };
    await sessions.closeLogin({ login, at: 100, tokenId: 't', until: clock.now() + 1_000 });
    clock.advance(11 * 60_000 - 1);
    await expect(sessions.start({ ...ADA, login: { sub: 'ada', issuedAt: 100 } })).rejects.toMatchObject({
      code: 'login_rejected',
    });
  });
});

describe('a logout that names a session and a person', () => {
  it('refuses the new session of that person with that name, and none of another person', async () => {
    const { clock, sessions } = openWithLogouts();
    const login = { issuer: ADA.identity.issuer, sub: 'ada', sid: 's' };
    await sessions.closeLogin({ login, at: 100, tokenId: 't', until: clock.now() + 1_000 });
    const start = (sub: string) => sessions.start({ ...ADA, login: { sub, sid: 's', issuedAt: 50 } });
    await expect(start('ada')).rejects.toMatchObject({ code: 'login_rejected' });
    await expect(start('vic')).resolves.toBeDefined();
  });

  it('refuses the new session of that person whose login has no `sid`, unless it is later', async () => {
    const { clock, sessions } = openWithLogouts();
    const login = { issuer: ADA.identity.issuer, sub: 'ada', sid: 's' };
    await sessions.closeLogin({ login, at: 100, tokenId: 't', until: clock.now() + 1_000 });
    const start = (ended: ProviderLogin, issuedAt: number) => sessions.start({ ...ADA, login: { ...ended, issuedAt } });
    await expect(start({ sub: 'ada' }, 100)).rejects.toMatchObject({ code: 'login_rejected' });
    await expect(start({ sub: 'ada' }, 101)).resolves.toBeDefined();
    await expect(start({ sub: 'ada', sid: 'another' }, 100)).resolves.toBeDefined();
  });
});
