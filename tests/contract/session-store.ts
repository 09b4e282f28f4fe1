import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../src/secret/secret.ts';
import type { SessionStore } from '../../src/session/session-store.ts';
import type { LoginName, StoredSession } from '../../src/session/session.ts';
import { Clock } from '../support/clock.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const CAPACITY = 8;
const PER_SUBJECT = 3;

export type StoreUnderTest = { readonly store: SessionStore; close(): Promise<void> };

export type StoreMaking = {
  readonly name: string;
  /** Whether it refuses sessions over its capacity. */
  readonly isBounded: boolean;
  readonly open: (options: {
    readonly capacity: number;
    readonly perSubject: number;
    readonly now: () => number;
  }) => Promise<StoreUnderTest>;
};

/** What every session store has to do. */
export function sessionStoreContract({ name, isBounded, open }: StoreMaking): void {
  describe(name, () => {
    let clock: Clock;
    let store: SessionStore;
    let close: () => Promise<void>;

    beforeEach(async () => {
      clock = new Clock();
      const opened = await open({ capacity: CAPACITY, perSubject: PER_SUBJECT, now: clock.now });
      store = opened.store;
      close = () => opened.close();
    });

    afterEach(() => close());

    const session = (id: string, changes: Partial<StoredSession> = {}): StoredSession => ({
      id,
      kind: 'web',
      identity: { issuer: 'https://id.example', subject: `subject of ${id}`, groups: ['staff', 'Ärzte', 'a"b'] },
      name: 'Grüße 🦊',
      idToken: `token.of.${id}`,
      startedAt: clock.now(),
      expiresAt: clock.now() + HOUR_MS,
      address: '2001:db8::7',
      ...changes,
    });
    const insert = async (id: string, changes: Partial<StoredSession> = {}, isAdmin = false) => {
      const stored = session(id, changes);
      await store.insert(digestOf(id), stored, { isAdmin });
      return stored;
    };
    /** Those of the sessions that stand. */
    const standing = async (ids: readonly string[]) => {
      const found = await Promise.all(ids.map(async (id) => store.find(digestOf(id))));
      return ids.filter((_id, i) => found[i] !== undefined);
    };
    const withoutToken = ({ idToken: _, ...rest }: StoredSession) => rest;

    it('finds nothing under an id that holds U+0000, and keeps going', async () => {
      await insert('a');
      expect(await store.removeById('a\0')).toBeUndefined();
      expect(await standing(['a'])).toEqual(['a']);
    });

    it('finds a session as it was stored, without its ID Token', async () => {
      const stored = await insert('a', { kind: 'desktop' });
      expect(await store.find(digestOf('a'))).toEqual(withoutToken(stored));
    });

    it('finds nothing under a digest that it does not have', async () => {
      await insert('a');
      expect(await store.find(digestOf('b'))).toBeUndefined();
      expect(await store.find('')).toBeUndefined();
    });

    it('keeps digests and ids apart that differ in case only', async () => {
      const small = session('caseless');
      const big = session('CASELESS');
      await store.insert('digest-abc', small, { isAdmin: false });
      await store.insert('digest-ABC', big, { isAdmin: false });
      expect(await store.find('digest-abc')).toEqual(withoutToken(small));
      expect(await store.find('digest-ABC')).toEqual(withoutToken(big));
      expect(await store.removeById('CASELESS')).toEqual(withoutToken(big));
      expect(await store.find('digest-abc')).toEqual(withoutToken(small));
      expect(await store.find('digest-ABC')).toBeUndefined();
    });

    it('gives the ID Token when it removes a session', async () => {
      const stored = await insert('a');
      expect(await store.remove(digestOf('a'))).toEqual(stored);
      expect(await store.find(digestOf('a'))).toBeUndefined();
    });

    it('keeps a session without an ID Token', async () => {
      await insert('a', { idToken: '' });
      expect((await store.remove(digestOf('a')))?.idToken).toBe('');
    });

    it('removes a session once, whoever asks first', async () => {
      await insert('a');
      const removals = await Promise.all(Array.from({ length: 10 }, () => store.remove(digestOf('a'))));
      expect(removals.filter((removed) => removed !== undefined)).toHaveLength(1);
      expect(await store.remove(digestOf('a'))).toBeUndefined();
      expect(await store.removeById('a')).toBeUndefined();
    });

    it('removes by public id, and nothing by an id that it does not have', async () => {
      const stored = await insert('a');
      await insert('b');
      expect(await store.removeById('nobody')).toBeUndefined();
      expect(await store.removeById('a')).toEqual(withoutToken(stored));
      expect(await store.find(digestOf('a'))).toBeUndefined();
      expect(await store.find(digestOf('b'))).toBeDefined();
    });

    it('never replaces a session', async () => {
      const stored = await insert('a');
      await expect(store.insert(digestOf('a'), session('other'), { isAdmin: false })).rejects.toThrow();
      expect(await store.find(digestOf('a'))).toEqual(withoutToken(stored));
      expect(await store.list()).toEqual([withoutToken(stored)]);
    });

    it('ends a session at its expiry, to the millisecond', async () => {
      const told: string[] = [];
      store.onRemoved((id) => told.push(id));
      await insert('a');
      await insert('b');
      clock.advance(HOUR_MS - 1);
      expect(await standing(['a', 'b'])).toEqual(['a', 'b']);
      clock.advance(1);
      expect(await standing(['a', 'b'])).toEqual([]);
      expect(await store.remove(digestOf('a'))).toBeUndefined();
      expect(await store.removeById('b')).toBeUndefined();
      expect(await store.list()).toEqual([]);
      expect(told).toEqual([]);
    });

    it('does not move an expiry when a session is found', async () => {
      await insert('a');
      for (let i = 0; i < 10; i++) {
        clock.advance(HOUR_MS / 10 - 1);
        await store.find(digestOf('a'));
      }
      clock.advance(10);
      expect(await store.find(digestOf('a'))).toBeUndefined();
    });

    it('counts active sessions: not those that expired or were removed', async () => {
      expect(await store.count()).toBe(0);
      for (const id of ['a', 'b', 'c']) await insert(id, id === 'c' ? { expiresAt: clock.now() + 10 } : {});
      expect(await store.count()).toBe(3);
      await store.remove(digestOf('a'));
      expect(await store.count()).toBe(2);
      clock.advance(10);
      expect(await store.count()).toBe(1);
    });

    it('lists active sessions, the latest first, without ID Tokens', async () => {
      const first = await insert('first');
      clock.advance(1);
      await insert('short', { expiresAt: clock.now() + 10 });
      clock.advance(1);
      const last = await insert('last');
      await insert('removed');
      await store.remove(digestOf('removed'));
      clock.advance(10);
      expect(await store.list()).toEqual([withoutToken(last), withoutToken(first)]);
    });

    it('tells of each removal once, and of nothing else', async () => {
      const told: string[] = [];
      store.onRemoved((id) => told.push(id));
      for (const id of ['a', 'b', 'c']) await insert(id, id === 'c' ? { expiresAt: clock.now() + 5 } : {});
      await store.find(digestOf('a'));
      await store.remove(digestOf('a'));
      await store.remove(digestOf('a'));
      await store.removeById('b');
      clock.advance(5);
      await store.list();
      await store.remove(digestOf('c'));
      expect(told).toEqual(['a', 'b']);
    });

    it('ends the oldest session of a person who has too many, tells of it, and leaves everybody else', async () => {
      const told: string[] = [];
      store.onRemoved((id) => told.push(id));
      const person = { issuer: 'https://id.example', subject: 'one', groups: [] };
      const others = {
        'same subject elsewhere': { ...person, issuer: 'https://other.example' },
        'another subject': { ...person, subject: 'ONE' },
      };
      for (const [id, identity] of Object.entries(others)) await insert(id, { identity });
      for (const id of ['1', '2', '3']) {
        clock.advance(1);
        await insert(id, { identity: person, ...(id === '2' ? { expiresAt: clock.now() + MINUTE_MS } : {}) });
      }
      expect(told).toEqual([]);
      clock.advance(1);
      // Found before, so that a store which remembers has to forget.
      expect(await standing(['1', '2', '3'])).toEqual(['1', '2', '3']);
      await insert('4', { identity: person });
      expect(await standing(['1', '2', '3', '4', ...Object.keys(others)])).toEqual([
        '2',
        '3',
        '4',
        ...Object.keys(others),
      ]);
      expect(told).toEqual(['1']);
      // One that expired, or was removed, makes room.
      clock.advance(MINUTE_MS);
      await insert('5', { identity: person });
      await store.remove(digestOf('3'));
      clock.advance(1);
      await insert('6', { identity: person });
      expect(await standing(['2', '3', '4', '5', '6'])).toEqual(['4', '5', '6']);
      expect(told).toEqual(['1', '3']);
    });

    it('counts the last session of a person when the others were removed', async () => {
      const identity = { issuer: 'https://id.example', subject: 'one', groups: [] };
      for (const id of ['removed', 'last', 'a', 'b', 'c']) {
        clock.advance(1);
        await insert(id, { identity });
        if (id === 'last') await store.remove(digestOf('removed'));
      }
      expect(await standing(['last', 'a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    });

    it('ends no session of a person for one that has expired, though that one began last', async () => {
      const told: string[] = [];
      store.onRemoved((id) => told.push(id));
      const identity = { issuer: 'https://id.example', subject: 'one', groups: [] };
      for (const id of ['1', '2', 'short']) {
        clock.advance(1);
        await insert(id, { identity, ...(id === 'short' && { expiresAt: clock.now() + 5 }) });
      }
      clock.advance(5);
      await insert('4', { identity });
      expect(await standing(['1', '2', 'short', '4'])).toEqual(['1', '2', '4']);
      expect(told).toEqual([]);
    });

    it('leaves a person who signs in many times at once as many sessions as one may have', async () => {
      const person = { issuer: 'https://id.example', subject: 'one', groups: [] };
      await Promise.all(Array.from({ length: 12 }, (_, i) => insert(`s${i}`, { identity: person })));
      expect(await store.list()).toHaveLength(PER_SUBJECT);
    });

    it('keeps when sessions were last used: an earlier time does not replace a later one, and an id that is gone is skipped', async () => {
      const [used, other] = [await insert('used'), await insert('other', { address: undefined })];
      await insert('gone');
      await store.remove(digestOf('gone'));
      const at = clock.now() + MINUTE_MS;
      await store.recordUses(
        new Map([
          ['used', at],
          ['gone', at],
          ['nobody', at],
        ]),
      );
      await store.recordUses(new Map([['used', at - 1]]));
      await store.recordUses(new Map());
      const listed = new Map((await store.list()).map((each) => [each.id, each]));
      expect(listed.size).toBe(2);
      expect(listed.get('used')).toEqual({ ...withoutToken(used), lastUsedAt: at });
      expect(listed.get('other')).toEqual(withoutToken(other));
      expect(await store.find(digestOf('gone'))).toBeUndefined();
      // A use moves no expiry, and brings nothing back.
      clock.advance(HOUR_MS);
      await store.recordUses(new Map([['used', clock.now()]]));
      expect([await store.find(digestOf('used')), await store.list()]).toEqual([undefined, []]);
    });

    it('finds sessions by the session and by the person at the provider, and nothing of another issuer', async () => {
      const elsewhere = { issuer: 'https://other.example', subject: 'x', groups: [] };
      await insert('a', { login: { sub: 'Ärztin', sid: 'one' } });
      await insert('b', { kind: 'desktop', login: { sub: 'Ärztin', sid: 'one' } });
      await insert('c', { login: { sub: 'Ärztin' } });
      await insert('d', { login: { sub: 'one', sid: 'Ärztin' } });
      await insert('e', { identity: elsewhere, login: { sub: 'Ärztin', sid: 'one' } });
      const f = await insert('f');
      const issuer = 'https://id.example';
      const ids = async (login: LoginName) => (await store.ofLogin(login)).map(({ id }) => id).sort();
      expect(await ids({ issuer, sid: 'one' })).toEqual(['a', 'b']);
      expect(await ids({ issuer, sub: 'Ärztin' })).toEqual(['a', 'b', 'c']);
      expect(await ids({ issuer, sid: 'one', sub: 'Ärztin' })).toEqual(['a', 'b', 'c']);
      expect(await ids({ issuer, sid: 'Ärztin', sub: 'one' })).toEqual(['d']);
      expect(await store.ofLogin({ issuer, sid: 'Ärztin' })).toEqual([{ id: 'd', sub: 'one' }]);
      expect(await ids({ issuer: elsewhere.issuer, sub: 'Ärztin' })).toEqual(['e']);
      expect(await ids({ issuer, sid: 'ONE' })).toEqual([]);
      expect(await ids({ issuer, sub: f.identity.subject })).toEqual([]);
      expect(await store.find(digestOf('a'))).toMatchObject({ login: { sub: 'Ärztin', sid: 'one' } });
      await store.removeById('a');
      expect(await ids({ issuer, sid: 'one' })).toEqual(['b']);
    });

    it('is ready', async () => {
      await expect(store.check()).resolves.toBeUndefined();
    });

    if (!isBounded) {
      it('has no capacity', async () => {
        for (let i = 0; i < CAPACITY * 2; i++) await insert(`s${i}`);
        expect(await store.list()).toHaveLength(CAPACITY * 2);
      });
      return;
    }

    it('refuses the session over its capacity, and evicts none', async () => {
      for (let i = 0; i < CAPACITY; i++) await insert(`s${i}`);
      await expect(insert('over')).rejects.toMatchObject({ code: 'session_capacity' });
      for (let i = 0; i < CAPACITY; i++) expect(await store.find(digestOf(`s${i}`))).toBeDefined();
      expect(await store.find(digestOf('over'))).toBeUndefined();
    });

    it('takes in as many as there are places when more come at once', async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: CAPACITY * 3 }, (_, i) => insert(`s${i}`)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(CAPACITY);
      expect(await store.list()).toHaveLength(CAPACITY);
    });

    it('lets an administrator in above its capacity: 5 %, at least one', async () => {
      for (let i = 0; i < CAPACITY; i++) await insert(`s${i}`);
      await insert('admin', {}, true);
      await expect(insert('second admin', {}, true)).rejects.toMatchObject({ code: 'session_capacity' });
      await expect(insert('over')).rejects.toMatchObject({ code: 'session_capacity' });
      expect(await store.list()).toHaveLength(CAPACITY + 1);
    });

    it('takes in a person of many sessions when it is full: one of theirs ends', async () => {
      const identity = { issuer: 'https://id.example', subject: 'one', groups: [] };
      for (let i = 0; i < CAPACITY; i++) {
        clock.advance(1);
        await insert(`s${i}`, i < PER_SUBJECT ? { identity } : {});
      }
      clock.advance(1);
      await insert('one more', { identity });
      expect(await standing(['s0', 's1', 'one more'])).toEqual(['s1', 'one more']);
      // An administrator's stands above the capacity: giving one up is not enough then, so none is.
      await insert('admin', {}, true);
      await expect(insert('and more', { identity })).rejects.toMatchObject({ code: 'session_capacity' });
      expect(await standing(['s1', 's2', 'one more'])).toEqual(['s1', 's2', 'one more']);
    });

    it('gives the places of expired and removed sessions to new ones', async () => {
      for (let i = 0; i < CAPACITY; i++) await insert(`s${i}`, i === 3 ? { expiresAt: clock.now() + 5 } : {});
      clock.advance(5);
      await insert('in place of an expired one');
      await expect(insert('over')).rejects.toMatchObject({ code: 'session_capacity' });
      await store.remove(digestOf('s0'));
      await insert('in place of a removed one');
      await expect(insert('over')).rejects.toMatchObject({ code: 'session_capacity' });
    });
  });
}
