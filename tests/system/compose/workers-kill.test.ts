import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chainsIn, linesIn, segmentFile, segmentsIn } from '../../../src/audit/chain-files.ts';
import { SigningKey } from '../../../src/audit/signing-key.ts';
import { verifyAudit } from '../../../src/audit/verify.ts';
import { SESSION_SECRET } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { startWorkersService, type WorkersService } from '../../support/workers-service.ts';

const SECONDS = Number(process.env['SVC_WORKER_KILL_SECONDS'] ?? 12);
const WRITERS = 4;
/** The pause before a worker that ends again and again starts. */
const LONGEST_PAUSE_MS = 30_000;

type Line = {
  readonly seq: number;
  readonly kind: string;
  readonly operation?: string;
  readonly intent: number;
  readonly resources?: readonly { readonly key?: string }[];
};

let service: WorkersService;
let ada: string;

beforeAll(async () => {
  service = await startWorkersService(2);
  await service.says('the workers answer requests');
  ada = (await signInDesktop(service, 'ada')).access_token;
});
afterAll(() => service.close());

const objectPath = (key: string) => `/api/providers/main/buckets/files/object?key=${encodeURIComponent(key)}`;

async function upload(key: string): Promise<boolean> {
  const headers = { origin: service.origin };
  const put = service.ask(objectPath(key), { method: 'PUT', credential: ada, headers, body: key });
  return (await put.catch(() => undefined))?.status === 200;
}

/** Uploads until `isOver`. @returns the keys of those that were acknowledged. */
async function write(writer: number, isOver: () => boolean): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let i = 0; !isOver(); i += 1) {
    const key = `writer ${writer} object ${i}`;
    if (await upload(key)) acknowledged.push(key);
    else await wait(20);
  }
  return acknowledged;
}

/** Kills a worker every second, unless both wait for their start; each second time the one that was started last. @returns how often. */
async function kill(): Promise<number> {
  let kills = 0;
  for (let i = 0; i < SECONDS; i += 1) {
    await wait(1_000);
    const victim = service.workers().at(i % 2 === 0 ? 0 : -1);
    if (victim === undefined) continue;
    process.kill(victim, 'SIGKILL');
    kills += 1;
  }
  return kills;
}

async function untilAnswered(): Promise<void> {
  for (const end = performance.now() + 2 * LONGEST_PAUSE_MS; !(await upload('afterwards'));) {
    if (performance.now() > end) throw new Error(`no answer\n${service.said()}`);
    await wait(100);
  }
}

/** How many lines tell that an upload of each key was done. */
function auditedUploads(folder: string): Map<string, number> {
  const done = new Map<string, number>();
  for (const chain of chainsIn(folder)) {
    const keys = new Map<number, string>();
    for (const segment of segmentsIn(chain.folder))
      for (const { bytes } of [...linesIn(segmentFile(chain.folder, segment))].flat()) {
        const line = JSON.parse(bytes.toString()) as Line;
        if (line.operation !== 'object/write') continue;
        if (line.kind === 'intent') keys.set(line.seq, line.resources?.[0]?.key ?? '');
        const key = line.kind === 'outcome' ? keys.get(line.intent) : undefined;
        if (key !== undefined) done.set(key, (done.get(key) ?? 0) + 1);
      }
  }
  return done;
}

describe(`two workers of which one is killed every second, for ${SECONDS} seconds`, () => {
  it(
    'lose no upload that was acknowledged, and no line about it',
    async () => {
      let isOver = false;
      const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, () => isOver)));
      const kills = await kill();
      isOver = true;
      const acknowledged = (await writing).flat();
      await untilAnswered();
      const lost: string[] = [];
      for (const key of acknowledged)
        if ((await service.ask(objectPath(key), { credential: ada })).text !== key) lost.push(key);
      process.kill(service.pid, 'SIGTERM');
      expect(await service.exit).toBe(0);
      const folder = join(service.directory, 'audit');
      const done = auditedUploads(folder);
      expect(lost).toEqual([]);
      expect(acknowledged.filter((key) => done.get(key) !== 1)).toEqual([]);
      expect(
        verifyAudit(folder, [new SigningKey(SESSION_SECRET).publicKey]).flatMap(({ name, faults }) =>
          faults.map((fault) => ({ name, ...fault })),
        ),
      ).toEqual([]);
      expect(kills).toBeGreaterThan(4);
      expect(acknowledged.length).toBeGreaterThan(kills);
    },
    120_000 + SECONDS * 3_000,
  );
});
