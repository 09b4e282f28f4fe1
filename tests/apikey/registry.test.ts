import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { API_KEYS } from '../../src/apikey/api-key.ts';
import { ApiKeys } from '../../src/apikey/api-keys.ts';
import type { KeyRequest } from '../../src/key/key-request.ts';
import type { KeyActor } from '../../src/key/keys.ts';
import { SqliteKeyStore } from '../../src/key/sqlite-store.ts';
import { apiKeysContract } from '../contract/api-keys.ts';
import { lockFromElsewhere } from '../state/lock-holder.ts';
import { openKeys, type OpenSqliteKeys } from './open-keys.ts';

const ADA: KeyActor = {
  identity: { issuer: 'https://id.example', subject: 'ada', groups: ['staff'] },
  name: 'ADA',
  isAdmin: false,
};
const request = (): KeyRequest => ({
  description: 'nightly backup',
  scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
  expiresAt: null,
});

apiKeysContract({ name: 'ApiKeys on SQLite', open: openKeys });

describe('ApiKeys on SQLite alone', () => {
  let open: OpenSqliteKeys;

  beforeEach(async () => {
    open = await openKeys();
  });

  afterEach(() => open.close());

  it('stores no part of the secret', async () => {
    const { keys, path, database } = open;
    const { credential } = await keys.create(request(), ADA);
    const secret = credential.slice(32);
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    const stored = (await readFile(path)).toString('latin1') + (await readFile(`${path}-wal`)).toString('latin1');
    expect(stored).toContain(credential.slice(7, 31));
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret, 'base64url').toString('latin1'));
    expect(stored).not.toContain(secret.slice(0, 12));
  });

  it('writes no use of a key that was revoked', async () => {
    const { database, clock } = open;
    const written: string[] = [];
    const store = new (class extends SqliteKeyStore {
      override recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
        written.push(...uses.keys());
        return super.recordUses(uses);
      }
    })(database, API_KEYS);
    const keys = new ApiKeys({ store, capacity: 10, perSubject: 10, now: clock.now });
    const [kept, revoked] = [await keys.create(request(), ADA), await keys.create(request(), ADA)];
    for (const { credential } of [kept, revoked]) await keys.authenticate(credential);
    await keys.revoke(revoked.key.id, ADA);
    await keys.close();
    expect(written).toEqual([kept.key.id]);
  });

  it('works while another process holds the database, and never waits for its last use to be written', async () => {
    const { keys, path } = open;
    const { credential } = await keys.create(request(), ADA);
    const unlock = await lockFromElsewhere(path);
    expect(await keys.authenticate(credential)).toBeDefined();
    await expect(keys.create(request(), ADA)).rejects.toMatchObject({ code: 'state_unavailable' });
    await unlock();
  });
});
