/**
 * `kill -9` in the middle of API-key changes: `node scripts/fault-keys.ts [kills]`, by default 1000.
 *
 * Exits with 1 when an acknowledged change was lost or the database was damaged.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLoop } from './fault-keys/kill-loop.ts';

const kills = Number(process.argv[2] ?? 1_000);
const directory = await mkdtemp(join(tmpdir(), 'svc-fault-keys-'));
const report = await killLoop(join(directory, 'state.db'), kills, (done) => {
  if (done % 100 === 0) console.error(`${done} of ${kills}`);
});
await rm(directory, { recursive: true });
console.log(JSON.stringify(report, undefined, 2));
process.exitCode = report.faults.length === 0 ? 0 : 1;
