import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { S3_KEYS, S3Keys } from '../../src/s3key/s3-keys.ts';
import { openOnSqlite, type Registry } from '../apikey/open-keys.ts';
import { LIMITS, SECRETS, s3KeysContract } from '../contract/s3-keys.ts';

const registry: Registry<S3Keys> = { kind: S3_KEYS, on: (given) => new S3Keys({ ...LIMITS, ...given }) };

s3KeysContract('S3Keys on SQLite', () => openOnSqlite(registry));

it('stores no secret, and looks a key up after all who ask in one turn', async () => {
  const { close, database, keys, path } = await openOnSqlite(registry);
  const creator = {
    identity: { issuer: 'https://id.example', subject: 'ada', groups: [] },
    name: 'ADA',
    isAdmin: false,
  };
  const scope = {
    rules: [{ actions: ['objects:read'], resources: [{ type: 'provider', provider: 'main' }] }],
  } as const;
  const { credential, key } = await keys.create(
    { description: 'x', provider: 'main', scope, expiresAt: null },
    creator,
  );
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  const stored = (await readFile(path)).toString('latin1') + (await readFile(`${path}-wal`)).toString('latin1');
  expect(stored).toContain(key.id);
  for (const secret of [
    credential,
    credential.slice(0, 12),
    Buffer.from(credential, 'base64url').toString('latin1'),
    SECRETS[0]!,
  ])
    expect(stored).not.toContain(secret);
  // Look-ups of one turn share a look, which comes after all of them: what another process has done before the last one holds for each.
  const first = keys.secretsOf(key.id);
  database.prepare('DELETE FROM s3_keys WHERE id = ?').run(key.id);
  expect(await Promise.all([first, keys.secretsOf(key.id)])).toEqual([undefined, undefined]);
  await close();
});
