import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { loadDump } from '../../src/upkeep/dump.ts';
import { SqliteRows } from '../../src/upkeep/sqlite-rows.ts';
import { summarize, Tally } from '../../src/upkeep/tables.ts';

let directory: string;
let rows: SqliteRows;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-dump-'));
  rows = new SqliteRows(join(directory, 'state.db'));
});
afterEach(async () => {
  await rows.close();
  await rm(directory, { recursive: true });
});

const KEY = {
  id: 'k',
  verifier: '00ff',
  revision: 1,
  description: 'x',
  scope: '{"rules":[]}',
  expires_at: null,
  creator_issuer: 'https://id.example',
  creator_subject: 'ada',
  creator_groups: '[]',
  creator_name: 'Ada',
  created_at: 1,
  rotated_at: null,
  last_used_at: null,
};
const keys = new Tally('api_keys');
keys.add([KEY]);
const summary = { sessions: new Tally('sessions').summary, api_keys: keys.summary };

async function* linesOf(...lines: unknown[]) {
  for (const line of lines) yield await Promise.resolve(JSON.stringify(line));
}
const load = (promised: object | null) =>
  rows.write((writer) =>
    loadDump(linesOf({ format: 'svc state 1' }, { table: 'api_keys', rows: [KEY] }, { summary: promised }), writer),
  );

it('reads a dump of an earlier version, which knows no S3 keys and no suspensions', async () => {
  expect(await load(summary)).toMatchObject({ ...summary, s3_keys: { count: 0 }, suspensions: { count: 0 } });
});

it.each([
  5,
  null,
  { table: 'api_keys', rows: 5 },
  { table: 'api_keys', rows: [null] },
  { table: 'api_keys', rows: [{ ...KEY, id: 'l', creator_name: null }] },
  { table: 'api_keys', rows: [{ ...KEY, id: 'l', creator_name: {} }] },
  { table: 'api_keys', rows: [KEY] },
])('tells that a dump is damaged, and not that the database cannot be used: %j', async (odd) => {
  const lines = linesOf({ format: 'svc state 1' }, { table: 'api_keys', rows: [KEY] }, odd, { summary });
  await expect(rows.write((writer) => loadDump(lines, writer))).rejects.toThrow('or is damaged');
  expect(await rows.read(summarize)).toMatchObject({ api_keys: { count: 0 } });
});

it('refuses a dump whose summary is lost', async () => {
  await expect(load(null)).rejects.toThrow('the dump is not whole');
});

it('refuses a dump that promises S3 keys and has none', async () => {
  const promised = { ...summary, s3_keys: { count: 1, digest: 'x' } };
  await expect(load(promised)).rejects.toThrow('does not give what it promises of `s3_keys`');
});
