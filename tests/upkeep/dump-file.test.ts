import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SqliteRows } from '../../src/upkeep/sqlite-rows.ts';
import { exportTo, importFrom } from '../../src/upkeep/upkeep.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-dump-file-'));
});
afterEach(() => rm(directory, { recursive: true }));

const keyOf = (name: string, at: number) => ({
  id: `k${at}`,
  verifier: '00ff',
  revision: 1,
  description: name,
  scope: '{"rules":[]}',
  expires_at: null,
  creator_issuer: 'https://id.example',
  creator_subject: 'ada',
  creator_groups: '[]',
  creator_name: name,
  created_at: 1,
  rotated_at: null,
  last_used_at: null,
});

it.each([undefined, 'correct horse battery staple'])(
  'a dump is read again whatever its names contain (passphrase: %s)',
  async (passphrase) => {
    const [state, other] = ['state.db', 'other.db'].map((name) => ({
      type: 'sqlite' as const,
      path: join(directory, name),
    })) as [{ type: 'sqlite'; path: string }, { type: 'sqlite'; path: string }];
    const rows = new SqliteRows(state.path);
    // Some of these end a line elsewhere.
    const names = ['\u2028', '\u2029', '\u0085', '\r', '\n', '\v', '\f', '€'.repeat(200_000), 'ä'];
    await rows.write((writer) => writer.add('api_keys', names.map(keyOf)));
    await rows.close();
    const file = join(directory, 'dump');
    const written = await exportTo(state, createWriteStream(file), passphrase);
    expect(written.api_keys.count).toBe(names.length);
    expect(await importFrom(other, file, passphrase)).toEqual(written);
  },
);
