import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { linesIn, segmentFile, segmentsIn } from '../../../src/audit/chain-files.ts';
import { AuditFolder } from '../../audit/support/audit-folder.ts';

const KILLS = Number(process.env['SVC_AUDIT_KILLS'] ?? 25);
const LONGEST_LIFE_MS = 60;

const folder = new AuditFolder();
const children = new Set<ReturnType<typeof start>>();
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await folder.remove();
});

function start(run: number) {
  return spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, '../../audit/support/audit-writer.ts'),
      folder.path,
      String(run),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
}

/** Starts a writer, and kills it some moments after its first acknowledgement. @returns what it acknowledged. */
async function killed(run: number): Promise<string[]> {
  const child = start(run);
  children.add(child);
  const closed = once(child, 'close');
  let said = '';
  const begun = new Promise<void>((resolve) =>
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      resolve();
    }),
  );
  await Promise.race([begun, closed]);
  await wait(Math.random() * LONGEST_LIFE_MS);
  child.kill('SIGKILL');
  await closed;
  children.delete(child);
  return said.split('\n').slice(0, -1);
}

describe(`an audit whose writer is killed ${KILLS} times`, () => {
  it(
    'verifies after each, and lacks nothing that was acknowledged',
    async () => {
      const acknowledged: string[] = [];
      for (let run = 1; run <= KILLS; run += 1) {
        acknowledged.push(...(await killed(run)));
        const [report] = folder.verify();
        expect([run, report!.faults]).toEqual([run, []]);
      }
      const outcomes = new Map<string, number>();
      const intents = new Set<number>();
      for (const segment of segmentsIn(folder.chain)) {
        for (const { bytes } of [...linesIn(segmentFile(folder.chain, segment))].flat()) {
          const line = JSON.parse(bytes.toString()) as {
            seq: number;
            kind: string;
            operation?: string;
            requestId: string;
            intent: number;
          };
          if (line.kind === 'intent') intents.add(line.seq);
          if (line.operation === 'object/write' && line.kind === 'outcome')
            outcomes.set(line.requestId.slice(2), line.intent);
        }
      }
      expect(acknowledged.length).toBeGreaterThan(KILLS);
      expect(acknowledged.filter((id) => !intents.has(outcomes.get(id) ?? 0))).toEqual([]);
      expect(folder.verify()[0]!.notes.length).toBeGreaterThan(0);
    },
    Math.max(60_000, KILLS * 3_000),
  );
});
