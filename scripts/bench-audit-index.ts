/**
 * Answers from an audit of ten million lines: `npm run bench -- audit-index [lines]`, by default a million. The files are made up, and lie in `SVC_BENCH_DIR` or a temporary folder.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditReader } from '../src/audit/audit-reader.ts';
import type { AuditQuestion } from '../src/audit/audit-query.ts';
import { segmentFile } from '../src/audit/chain-files.ts';
import { hashOf, lineStart } from '../src/audit/chain-walk.ts';

const LINES = Number(process.argv[3] ?? 1_000_000);
const SEGMENT_LINES = 100_000;
const PEOPLE = 1_000;
const OBJECTS = 1_000_000;
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z');
/** All lines lie in a hundred days. */
const STEP_MS = (100 * 86_400_000) / LINES;
const MAX_MS = 200;

const root = await mkdtemp(join(process.env['SVC_BENCH_DIR'] ?? tmpdir(), 'svc-bench-audit-'));
let isMissed = false;
try {
  writeLines(join(root, 'one'));
  const reader = new AuditReader(root);
  const since = performance.now();
  reader.catchUp();
  console.log(
    `${LINES.toLocaleString('en')} lines are in the index after ${((performance.now() - since) / 1000).toFixed(0)} s`,
  );
  const day = FIRST_DAY + 50 * 86_400_000;
  const questions: Readonly<Record<string, () => AuditQuestion>> = {
    'an object': () => ({ about: { provider: 'main', bucket: 'files', key: String(any(OBJECTS)) }, limit: 200 }),
    'a person': () => ({ subject: `person-${any(PEOPLE)}`, limit: 200 }),
    'a person on a day': () => ({ subject: `person-${any(PEOPLE)}`, from: day, to: day + 86_400_000, limit: 200 }),
    'a day': () => ({ from: day, to: day + 86_400_000, limit: 1_000 }),
    'what was denied on a day': () => ({ from: day, to: day + 86_400_000, outcome: 'denied', limit: 200 }),
    nothing: () => ({ about: { provider: 'main', bucket: 'files', key: 'none' }, limit: 200 }),
  };
  for (const [what, question] of Object.entries(questions)) {
    const times = Array.from({ length: 50 }, () => {
      const begun = performance.now();
      reader.ask(question());
      return performance.now() - begun;
    }).sort((a, b) => a - b);
    const slowest = times.at(-2)!;
    isMissed ||= slowest > MAX_MS;
    console.log(
      `  ${slowest > MAX_MS ? 'NOT REACHED' : 'reached    '}  ${what}: median ${times[25]!.toFixed(1)} ms, 49 of 50 within ${slowest.toFixed(1)} ms (at most ${MAX_MS})`,
    );
  }
  reader.close();
} finally {
  await rm(root, { recursive: true, force: true });
}
if (isMissed) process.exitCode = 1;

function writeLines(folder: string): void {
  mkdirSync(folder, { recursive: true });
  let tip = '0'.repeat(64);
  for (let first = 0; first < LINES; first += SEGMENT_LINES) {
    const handle = openSync(segmentFile(folder, first / SEGMENT_LINES + 1), 'w');
    let text = '';
    for (let i = first; i < Math.min(LINES, first + SEGMENT_LINES); i += 1) {
      const person = any(PEOPLE);
      const members = {
        time: new Date(FIRST_DAY + i * STEP_MS).toISOString(),
        kind: 'outcome',
        operation: 'object/read',
        issuer: 'https://login.example',
        subject: `person-${person}`,
        name: `Person ${person}`,
        via: 'web',
        credentialId: 'c1',
        address: '127.0.0.1',
        face: 'http',
        requestId: '12345678-1234-1234-1234-123456789012',
        outcome: i % 50 === 0 ? 'denied' : 'done',
        bytes: 1024,
        durationMs: 3.25,
        resources: [
          {
            provider: 'main',
            bucket: 'files',
            key: String(any(OBJECTS)),
            action: 'objects:get',
            rule: 'team 1',
            outcome: i % 50 === 0 ? 'denied' : 'done',
          },
        ],
      };
      const line = lineStart(i + 1, tip) + JSON.stringify(members).slice(1);
      tip = hashOf(line);
      text += `${line}\n`;
      if (text.length > 4_000_000 || i === first + SEGMENT_LINES - 1) {
        writeSync(handle, text);
        text = '';
      }
    }
    if (text !== '') writeSync(handle, text);
    closeSync(handle);
  }
}

function any(count: number): number {
  return Math.floor(Math.random() * count);
}
