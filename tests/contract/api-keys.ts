import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import type { KeyScope } from '../../src/policy/model/key-scope.ts';
import type { KeyRequest } from '../../src/key/key-request.ts';
import type { KeyActor } from '../../src/key/keys.ts';
import type { OpenKeys } from '../apikey/open-keys.ts';

const SCOPE: KeyScope = {
  rules: [
    { actions: ['objects:read'], resources: [{ type: 'prefix', provider: 'p', bucket: 'b', prefix: 'reports/' }] },
  ],
};
const OTHER_SCOPE: KeyScope = { rules: [{ actions: ['objects:write'], resources: [{ type: 'all' }] }] };

const actor = (subject: string, changes: Partial<KeyActor> = {}): KeyActor => ({
  identity: { issuer: 'https://id.example', subject, groups: ['staff', 'Ärzte'] },
  name: subject.toUpperCase(),
  isAdmin: false,
  ...changes,
});
const ADA = actor('ada');
const BOB = actor('bob');
const ROOT = actor('root', { isAdmin: true });

const request = (changes: Partial<KeyRequest> = {}): KeyRequest => ({
  description: 'nightly backup',
  scope: SCOPE,
  expiresAt: null,
  ...changes,
});

export type KeysMaking = {
  readonly name: string;
  readonly open: (capacity?: number, perSubject?: number) => Promise<OpenKeys>;
};

/** What the registry of API keys does on every state database. */
export function apiKeysContract({ name, open: openKeys }: KeysMaking): void {
  describe(name, () => {
    let open: OpenKeys;
    /** Until a change of another process counts here. */
    const told = () => wait(open.toldWithinMs);

    beforeEach(async () => {
      open = await openKeys();
    });

    afterEach(() => open.close());

    describe('ApiKeys.create', () => {
      it('gives a credential that authenticates as the key, with its creator and scope', async () => {
        const { keys, clock } = open;
        const { credential, key } = await keys.create(request({ expiresAt: clock.now() + 1_000 }), ADA);
        expect(credential).toMatch(/^svc_ak_[0-9a-f]{24}_[A-Za-z0-9_-]{43}$/);
        expect(key).toEqual({
          id: credential.slice(7, 31),
          description: 'nightly backup',
          scope: SCOPE,
          expiresAt: clock.now() + 1_000,
          creator: { issuer: 'https://id.example', subject: 'ada', groups: ['staff', 'Ärzte'], name: 'ADA' },
          createdAt: clock.now(),
          rotatedAt: null,
          lastUsedAt: null,
        });
        expect(await keys.authenticate(credential)).toEqual(key);
      });

      it('takes a description of 200 characters, without the blanks around it', async () => {
        const description = 'x'.repeat(200);
        expect((await open.keys.create(request({ description: ` ${description}\n` }), ADA)).key.description).toBe(
          description,
        );
      });

      it.each([
        ['an empty description', { description: '  ' }, 'description'],
        ['a long description', { description: 'x'.repeat(201) }, 'description'],
        ['an expiry in the past', { expiresAt: 1 }, 'expiresAt'],
        ['an expiry that is no time', { expiresAt: Number.NaN }, 'expiresAt'],
        ['a scope without rules', { scope: { rules: [] } }, 'scope.rules'],
      ])('refuses %s', async (_what, changes, path) => {
        await expect(open.keys.create(request(changes), ADA)).rejects.toMatchObject({
          code: 'invalid_request',
          members: { errors: [{ path }] },
        });
        expect(await open.keys.list(ROOT)).toEqual([]);
      });

      it('refuses the key over the capacity, also when several come at once', async () => {
        const outcomes = await Promise.allSettled(Array.from({ length: 15 }, () => open.keys.create(request(), ADA)));
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'api_key_capacity' });
        expect(await open.keys.list(ROOT)).toHaveLength(10);
      });

      it('refuses the key over what one person may have, and takes those of others', async () => {
        const { keys, clock, close } = await openKeys(10, 2);
        const { key } = await keys.create(request(), ADA);
        await keys.create(request({ expiresAt: clock.now() + 10 }), ADA);
        await expect(keys.create(request(), ADA)).rejects.toMatchObject({
          code: 'api_key_capacity',
          detail: expect.stringContaining('auth.api_keys.per_subject'),
        });
        for (const identity of [
          { ...ADA.identity, subject: 'ADA' },
          { ...ADA.identity, issuer: 'https://other.example' },
        ])
          await keys.create(request(), { ...ADA, identity });
        // A key that expired, or was revoked, makes room.
        clock.advance(10);
        await keys.create(request(), ADA);
        await expect(keys.create(request(), ADA)).rejects.toMatchObject({ code: 'api_key_capacity' });
        await keys.revoke(key.id, ADA);
        await keys.create(request(), ADA);
        await close();
      });

      it('lets an administrator make a key above the capacity: 5 %, at least one', async () => {
        const { keys, close } = await openKeys(3);
        for (let i = 0; i < 3; i++) await keys.create(request(), ADA);
        const admin = { ...ROOT, identity: { ...ROOT.identity, subject: 'another admin' } };
        await keys.create(request(), admin);
        await expect(keys.create(request(), admin)).rejects.toMatchObject({ code: 'api_key_capacity' });
        await close();
      });

      it('gives the place of a revoked key, and of the one that expired first, to a new one', async () => {
        const { keys, clock } = open;
        const [first] = await Promise.all(Array.from({ length: 8 }, () => keys.create(request(), ADA)));
        const later = await keys.create(request({ expiresAt: clock.now() + 20 }), ADA);
        const sooner = await keys.create(request({ expiresAt: clock.now() + 10 }), ADA);
        clock.advance(20);
        await keys.create(request(), ADA);
        const ids = (await keys.list(ADA)).map(({ id }) => id);
        expect(ids).toContain(later.key.id);
        expect(ids).not.toContain(sooner.key.id);
        await keys.create(request(), ADA);
        await expect(keys.create(request(), ADA)).rejects.toMatchObject({ code: 'api_key_capacity' });
        await keys.revoke(first!.key.id, ADA);
        await keys.create(request(), ADA);
      });
    });

    describe('ApiKeys.authenticate', () => {
      it('knows a credential exactly, and no other', async () => {
        const { keys } = open;
        const { credential } = await keys.create(request(), ADA);
        const other = await keys.create(request(), ADA);
        const [id, secret] = [credential.slice(7, 31), credential.slice(32)];
        const last = credential.at(-1)!;
        const near = [
          '',
          'svc_ak_',
          id,
          secret,
          credential.slice(0, -1),
          `${credential}A`,
          `${credential} `,
          ` ${credential}`,
          `${credential}\n`,
          `${credential}=`,
          credential.toUpperCase(),
          credential.toLowerCase(),
          credential.replace('svc_ak_', 'SVC_AK_'),
          `svc_ak_${id.toUpperCase()}_${secret}`,
          `svc_ak_${other.key.id}_${secret}`,
          `svc_ak_${'0'.repeat(24)}_${secret}`,
          `svc_ak_${id}_${secret.replace(/[a-z]/, (c) => c.toUpperCase())}`,
          `svc_ak_${id}_${'A'.repeat(43)}`,
          `svc_ak_${id}_`,
          `svc_ak_${id}`,
          // The last character of 43 carries two bits that base64url decoding would drop.
          ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
            .split('')
            .filter((c) => c !== last)
            .map((c) => credential.slice(0, -1) + c),
        ];
        for (const candidate of near.filter((candidate) => candidate !== credential))
          expect(await keys.authenticate(candidate)).toBeUndefined();
        expect((await keys.authenticate(credential))?.id).toBe(id);
      });

      it('gives the same object for an unchanged key, and another after a change', async () => {
        const { keys } = open;
        const { credential, key } = await keys.create(request(), ADA);
        const first = await keys.authenticate(credential);
        expect(await keys.authenticate(credential)).toBe(first);
        await (await open.elsewhere()).replaceScope(key.id, OTHER_SCOPE, ADA);
        await told();
        expect((await keys.authenticate(credential))?.scope).toEqual(OTHER_SCOPE);
      });

      it('ends with the expiry, to the millisecond', async () => {
        const { keys, clock } = open;
        const { credential, key } = await keys.create(request({ expiresAt: clock.now() + 1_000 }), ADA);
        clock.advance(999);
        expect(await keys.authenticate(credential)).toBeDefined();
        expect(await keys.find(key.id)).toBeDefined();
        clock.advance(1);
        expect(await keys.authenticate(credential)).toBeUndefined();
        expect(await keys.find(key.id)).toBeUndefined();
        expect((await keys.list(ADA)).map(({ id }) => id)).toEqual([key.id]);
        await expect(keys.rotate(key.id, ADA)).rejects.toMatchObject({ code: 'conflict' });
        await expect(keys.replaceScope(key.id, OTHER_SCOPE, ADA)).rejects.toMatchObject({ code: 'conflict' });
        await keys.revoke(key.id, ADA);
        expect(await keys.list(ADA)).toEqual([]);
      });

      it('counts the change of another process', async () => {
        const { keys } = open;
        const elsewhere = await open.elsewhere();
        const { credential, key } = await keys.create(request(), ADA);
        const rotated = await elsewhere.rotate(key.id, ADA);
        await told();
        expect(await keys.authenticate(credential)).toBeUndefined();
        expect(await keys.authenticate(rotated.credential)).toBeDefined();
        await elsewhere.revoke(key.id, ADA);
        await told();
        expect(await keys.authenticate(rotated.credential)).toBeUndefined();
      });
    });

    describe('last use', () => {
      it('is known at once, to the minute, and written when the registry closes', async () => {
        const { keys, clock } = open;
        const { credential, key } = await keys.create(request(), ADA);
        const lastUsed = async () => (await keys.list(ADA))[0]?.lastUsedAt;
        expect(await lastUsed()).toBeNull();
        const first = clock.now();
        await keys.authenticate(credential);
        clock.advance(59_999);
        await keys.authenticate(credential);
        expect(await lastUsed()).toBe(first);
        clock.advance(1);
        await keys.authenticate(credential);
        expect(await lastUsed()).toBe(first + 60_000);
        expect((await keys.read([key.id]))[0]?.lastUsedAt).toBe(first + 60_000);
        await keys.close();
        expect((await (await open.elsewhere()).list(ADA))[0]?.lastUsedAt).toBe(first + 60_000);
      });

      it('is the latest that any process has seen, whichever writes last', async () => {
        const { keys, clock } = open;
        const elsewhere = await open.elsewhere();
        const { credential } = await keys.create(request(), ADA);
        await keys.authenticate(credential);
        clock.advance(60_000);
        await elsewhere.authenticate(credential);
        await elsewhere.close();
        await keys.close();
        expect((await (await open.elsewhere()).list(ADA))[0]?.lastUsedAt).toBe(clock.now());
      });

      it('is not changed by a credential that fails', async () => {
        const { keys } = open;
        const { credential } = await keys.create(request(), ADA);
        await keys.authenticate(`${credential.slice(0, -2)}${credential.endsWith('AA') ? 'BA' : 'AA'}`);
        expect((await keys.list(ADA))[0]?.lastUsedAt).toBeNull();
      });
    });

    describe('ApiKeys.rotate', () => {
      it('gives a new secret, ends the old credential, and keeps everything else', async () => {
        const { keys, clock } = open;
        const { credential, key } = await keys.create(request({ expiresAt: clock.now() + 100_000 }), ADA);
        clock.advance(5);
        const rotated = await keys.rotate(key.id, ADA);
        expect(rotated.key).toEqual({ ...key, rotatedAt: clock.now() });
        expect(rotated.credential.slice(0, 32)).toBe(credential.slice(0, 32));
        expect(await keys.authenticate(credential)).toBeUndefined();
        expect(await keys.authenticate(rotated.credential)).toEqual(rotated.key);
      });
    });

    describe('ApiKeys.replaceScope', () => {
      it('is in force with the next request, and the credential stays', async () => {
        const { keys } = open;
        const { credential, key } = await keys.create(request(), ADA);
        expect(await keys.replaceScope(key.id, OTHER_SCOPE, ADA)).toEqual({ ...key, scope: OTHER_SCOPE });
        expect((await keys.authenticate(credential))?.scope).toEqual(OTHER_SCOPE);
      });

      it('refuses a scope that is not valid, and keeps the old one', async () => {
        const { keys } = open;
        const { credential, key } = await keys.create(request(), ADA);
        await expect(keys.replaceScope(key.id, { rules: [] }, ADA)).rejects.toMatchObject({ code: 'invalid_request' });
        expect((await keys.authenticate(credential))?.scope).toEqual(SCOPE);
      });
    });

    describe('ApiKeys.revoke', () => {
      it('ends the key for good', async () => {
        const { keys } = open;
        const { credential, key } = await keys.create(request(), ADA);
        expect(await keys.revoke(key.id, ADA)).toEqual(key);
        expect(await keys.authenticate(credential)).toBeUndefined();
        expect(await keys.find(key.id)).toBeUndefined();
        expect(await keys.list(ADA)).toEqual([]);
        await expect(keys.revoke(key.id, ADA)).rejects.toMatchObject({ code: 'not_found' });
      });
    });

    describe('a change of one key', () => {
      it('leaves the other keys of its creator as they are', async () => {
        const { keys } = open;
        const made = await Promise.all(Array.from({ length: 3 }, () => keys.create(request(), ADA)));
        const [first, changed, last] = made.toSorted((a, b) => (a.key.id < b.key.id ? -1 : 1));
        const { id } = changed!.key;
        const rotated = await keys.rotate(id, ADA);
        await keys.replaceScope(id, OTHER_SCOPE, ADA);
        await keys.authenticate(rotated.credential);
        await keys.close();
        const elsewhere = await open.elsewhere();
        const others = (await elsewhere.list(ADA)).filter((key) => key.id !== id);
        expect(new Set(others)).toEqual(new Set([first!.key, last!.key]));
        await elsewhere.revoke(id, ADA);
        for (const { credential, key } of [first!, last!])
          expect((await elsewhere.authenticate(credential))?.id).toBe(key.id);
      });
    });

    describe('whose keys', () => {
      it('lists a user their own keys, an administrator all of them, the newest first', async () => {
        const { keys, clock } = open;
        const ids: string[] = [];
        for (const who of [ADA, BOB, ADA]) {
          ids.unshift((await keys.create(request(), who)).key.id);
          clock.advance(1);
        }
        expect((await keys.list(ADA)).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
        expect((await keys.list(BOB)).map(({ id }) => id)).toEqual([ids[1]]);
        expect((await keys.list(ROOT)).map(({ id }) => id)).toEqual(ids);
      });

      it.each([
        ['another subject', BOB],
        [
          'the same subject of another issuer',
          actor('ada', { identity: { ...ADA.identity, issuer: 'https://id.example/other' } }),
        ],
        ['a subject that differs in case', actor('ADA')],
      ])('answers %s as if there was no such key', async (_who, stranger) => {
        const { keys } = open;
        const { credential, key } = await keys.create(request(), ADA);
        expect(await keys.list(stranger)).toEqual([]);
        const unknown = await keys.revoke('0'.repeat(24), stranger).catch((error: unknown) => String(error));
        for (const attempt of [
          () => keys.rotate(key.id, stranger),
          () => keys.replaceScope(key.id, OTHER_SCOPE, stranger),
          () => keys.revoke(key.id, stranger),
        ]) {
          const refusal: unknown = await attempt().catch((error: unknown) => error);
          expect(refusal).toMatchObject({ code: 'not_found' });
          expect(String(refusal).replace(key.id, '0'.repeat(24))).toBe(unknown);
        }
        expect(await keys.authenticate(credential)).toEqual(key);
      });

      it('lets an administrator revoke every key, but not rotate or widen it', async () => {
        const { keys } = open;
        const { key } = await keys.create(request(), ADA);
        await expect(keys.rotate(key.id, ROOT)).rejects.toMatchObject({ code: 'not_found' });
        await expect(keys.replaceScope(key.id, OTHER_SCOPE, ROOT)).rejects.toMatchObject({ code: 'not_found' });
        expect((await keys.revoke(key.id, ROOT)).id).toBe(key.id);
      });
    });

    describe('ApiKeys.onChanged', () => {
      it('tells of each change after it is made, and of no refused one', async () => {
        const { keys } = open;
        const told: string[] = [];
        keys.onChanged((id, change) => told.push(`${change} ${id}`));
        const { key } = await keys.create(request(), ADA);
        await keys.rotate(key.id, ADA);
        await keys.replaceScope(key.id, OTHER_SCOPE, ADA);
        await keys.revoke(key.id, BOB).catch(() => undefined);
        await keys.revoke(key.id, ADA);
        expect(told).toEqual([`rotated ${key.id}`, `scopeReplaced ${key.id}`, `revoked ${key.id}`]);
      });

      it('tells of no change that loses against the revocation', async () => {
        const { keys } = open;
        const told: string[] = [];
        keys.onChanged((_id, change) => told.push(change));
        const { key } = await keys.create(request(), ADA);
        // All of them find the key before the first has removed it.
        const ended = await Promise.allSettled([
          keys.revoke(key.id, ADA),
          keys.rotate(key.id, ADA),
          keys.replaceScope(key.id, OTHER_SCOPE, ADA),
          keys.revoke(key.id, ADA),
        ]);
        // A database with several connections may take them in another order.
        const done = ['revoked', 'rotated', 'scopeReplaced', 'revoked'].filter(
          (_change, i) => ended[i]!.status === 'fulfilled',
        );
        for (const { reason } of ended.filter((one) => one.status === 'rejected'))
          expect(reason).toMatchObject({ code: 'not_found' });
        expect(told.toSorted()).toEqual(done.toSorted());
        expect(told.filter((change) => change === 'revoked')).toHaveLength(1);
      });

      it('tells within a second to look again when another process made a change', async () => {
        const { keys } = open;
        const { key } = await keys.create(request(), ADA);
        let told = 0;
        keys.onChangesMissed(() => told++);
        await wait(600);
        expect(told).toBe(0);
        await (await open.elsewhere()).revoke(key.id, ADA);
        await wait(900);
        expect(told).toBeGreaterThan(0);
      });
    });
  });
}
