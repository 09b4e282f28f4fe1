import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyScope } from '../../src/policy/model/key-scope.ts';
import type { KeyRequest } from '../../src/key/key-request.ts';
import type { KeyActor } from '../../src/key/keys.ts';
import { everythingAt } from '../../src/key/scope.ts';
import type { S3Keys } from '../../src/s3key/s3-keys.ts';
import type { OpenKeys } from '../apikey/open-keys.ts';

export const SECRETS = ['the secret of S3 keys, long enough to be one'];
export const LIMITS = { capacity: 10, maxLifetimeDays: 30, maxDaysSinceSignIn: 7, secrets: SECRETS };

const DAY_MS = 86_400_000;
const ADA: KeyActor = {
  identity: { issuer: 'https://id.example', subject: 'ada', groups: ['staff', 'Ärzte'] },
  name: 'ADA',
  isAdmin: false,
};
const BOB: KeyActor = { ...ADA, identity: { ...ADA.identity, subject: 'bob' } };
const READ: KeyScope = {
  rules: [
    { actions: ['objects:read'], resources: [{ type: 'prefix', provider: 'main', bucket: 'b', prefix: 'reports/' }] },
  ],
};

const request = (changes: Partial<KeyRequest> = {}): KeyRequest => ({
  description: 'nightly backup',
  provider: 'main',
  scope: READ,
  expiresAt: null,
  ...changes,
});

/** What the registry of S3 keys does on every state database. */
export function s3KeysContract(name: string, openKeys: () => Promise<OpenKeys<S3Keys>>): void {
  describe(name, () => {
    let open: OpenKeys<S3Keys>;
    let keys: S3Keys;
    /** Until a change of another process counts here. */
    const told = () => wait(open.toldWithinMs);
    const isFound = async (id: string, by = keys) => (await by.secretsOf(id)) !== undefined;

    beforeEach(async () => {
      open = await openKeys();
      ({ keys } = open);
    });

    afterEach(() => open.close());

    it('gives an id with its secret, and a record of the creator, the provider and the scope', async () => {
      const { clock } = open;
      const { credential, key } = await keys.create(request(), ADA);
      expect(key.id).toMatch(/^SVC[A-Z2-7]{17}$/);
      expect(credential).toMatch(/^[A-Za-z0-9_-]{40}$/);
      expect(key).toEqual({
        id: key.id,
        description: 'nightly backup',
        provider: 'main',
        scope: READ,
        expiresAt: clock.now() + 30 * DAY_MS,
        creator: { issuer: 'https://id.example', subject: 'ada', groups: ['staff', 'Ärzte'], name: 'ADA' },
        createdAt: clock.now(),
        rotatedAt: null,
        lastUsedAt: null,
      });
      expect(await keys.secretsOf(key.id)).toEqual({ key, secretAccessKeys: [credential] });
      expect((await keys.create(request(), ADA)).credential).not.toBe(credential);
    });

    it('finds the same object while the key is unchanged', async () => {
      const { key } = await keys.create(request(), ADA);
      const first = await keys.secretsOf(key.id);
      expect((await keys.secretsOf(key.id))?.key).toBe(first?.key);
      await keys.replaceScope(key.id, everythingAt('main'), ADA);
      const after = await keys.secretsOf(key.id);
      expect(after?.key.scope).toEqual(everythingAt('main'));
      expect(after?.secretAccessKeys).toEqual(first?.secretAccessKeys);
    });

    it('finds no forged, unknown, expired or revoked key', async () => {
      const { key } = await keys.create(request({ expiresAt: open.clock.now() + 1_000 }), ADA);
      const { key: other } = await keys.create(request(), ADA);
      const last = key.id.endsWith('A') ? 'B' : 'A';
      for (const id of ['', 'AKIAIOSFODNN7EXAMPLE', key.id.toLowerCase(), key.id.slice(0, -1) + last, `${key.id}A`])
        expect(await isFound(id)).toBe(false);
      expect(await isFound(key.id)).toBe(true);
      open.clock.advance(1_000);
      expect(await isFound(key.id)).toBe(false);
      expect(await isFound(other.id)).toBe(true);
      await keys.revoke(other.id, ADA);
      expect(await isFound(other.id)).toBe(false);
    });

    it('gives another secret by a rotation, here and elsewhere, and keeps the rest', async () => {
      const { credential, key } = await keys.create(request(), ADA);
      const elsewhere = await open.elsewhere();
      await elsewhere.secretsOf(key.id);
      const rotated = await keys.rotate(key.id, ADA);
      expect(rotated.key).toEqual({ ...key, rotatedAt: open.clock.now() });
      expect(rotated.credential).not.toBe(credential);
      await told();
      for (const each of [keys, elsewhere])
        expect((await each.secretsOf(key.id))?.secretAccessKeys).toEqual([rotated.credential]);
    });

    it('takes a time up to the maximum, and a scope at the own provider alone', async () => {
      const end = open.clock.now() + 30 * DAY_MS;
      expect((await keys.create(request({ expiresAt: end }), ADA)).key.expiresAt).toBe(end);
      const refused = (changes: Partial<KeyRequest>) => keys.create(request(changes), ADA);
      await expect(refused({ expiresAt: end + 1 })).rejects.toThrow('expiresAt: give a time within 30 days');
      const everywhere: KeyScope = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] };
      for (const scope of [everywhere, everythingAt('other')]) {
        await expect(refused({ scope })).rejects.toMatchObject({
          members: { errors: [{ path: 'scope.rules.0.resources.0', message: expect.stringContaining('`main`') }] },
        });
        const { key } = await keys.create(request(), ADA);
        await expect(keys.replaceScope(key.id, scope, ADA)).rejects.toThrow('scope is not valid');
      }
    });

    it('has a place for so many keys of all people', async () => {
      for (let i = 0; i < LIMITS.capacity; i++) await keys.create(request(), i % 2 === 0 ? ADA : BOB);
      await expect(keys.create(request(), ADA)).rejects.toMatchObject({
        code: 'api_key_capacity',
        detail: expect.stringContaining(
          'all 10 S3 keys are in use; revoke one, or ask an administrator to raise `s3.key_capacity`',
        ),
      });
      expect(await keys.outlines()).toHaveLength(LIMITS.capacity);
    });

    it('lets a key rest until its person signs in again', async () => {
      const { clock } = open;
      const { key } = await keys.create(request({ expiresAt: clock.now() + 20 * DAY_MS }), ADA);
      const { key: bobs } = await keys.create(request(), BOB);
      const elsewhere = await open.elsewhere();
      clock.advance(7 * DAY_MS - 1);
      expect(await isFound(key.id)).toBe(true);
      clock.advance(1);
      expect([await isFound(key.id), await isFound(bobs.id), await isFound(key.id, elsewhere)]).toEqual([
        false,
        false,
        false,
      ]);
      await keys.noteSignIn({ issuer: ADA.identity.issuer, subject: 'ada' });
      await told();
      expect([await isFound(key.id), await isFound(bobs.id), await isFound(key.id, elsewhere)]).toEqual([
        true,
        false,
        true,
      ]);
      clock.advance(7 * DAY_MS);
      expect(await isFound(key.id)).toBe(false);
    });

    it('accepts what an earlier secret gave, until it does so no more', async () => {
      const before = await keys.create(request(), ADA);
      const [old] = SECRETS;
      const fresh = 'another secret of S3 keys, long enough to be one';
      keys.replaceSecrets([fresh, old!]);
      const after = await keys.create(request(), ADA);
      expect((await keys.secretsOf(before.key.id))?.secretAccessKeys).toContain(before.credential);
      expect((await keys.secretsOf(after.key.id))?.secretAccessKeys[0]).toBe(after.credential);
      keys.replaceSecrets([fresh]);
      expect([await isFound(before.key.id), await isFound(after.key.id)]).toEqual([false, true]);
    });

    it('writes the last use', async () => {
      const { key } = await keys.create(request(), ADA);
      keys.noteUse(key);
      expect((await keys.list(ADA))[0]?.lastUsedAt).toBe(open.clock.now());
      await keys.close();
      expect((await (await open.elsewhere()).list(ADA))[0]?.lastUsedAt).toBe(open.clock.now());
    });
  });
}
