import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { Machine } from '../../cli/svc-process.ts';

const KILLS = Number(process.env['SVC_COPY_KILLS'] ?? 5);
const FILES = 24;
const MIB = 1024 * 1024;

let cluster: Cluster;
let machine: Machine;
/** Whole bodies that storage received, by `METHOD path`. */
const received = new Map<string, number>();
/** Is called with each request to storage when it begins, and with its answer when that ends. */
let seen: (event: 'begins' | 'ends', method: string) => void = () => undefined;

beforeAll(async () => {
  cluster = await startCluster();
  cluster.s3.server.httpServer.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const call = `${req.method} ${req.url}`;
    req.once('end', () => received.set(call, (received.get(call) ?? 0) + 1));
    res.once('finish', () => seen('ends', req.method ?? ''));
    seen('begins', req.method ?? '');
  });
  machine = await Machine.make();
  await machine.login(cluster.origin, 'eve');
  await mkdir(join(machine.home, 'up'));
  // One file is sent in parts.
  for (let i = 0; i < FILES; i += 1)
    await writeFile(join(machine.home, 'up', `file ${i}`), randomBytes(i === 0 ? 17 * MIB : 1000 * i));
}, 900_000);
afterAll(async () => {
  await machine.remove();
  await cluster.close();
});

/** Runs `svc cp -r`, and kills an instance at the given event of its requests to storage with this method. */
async function copiedThrough(kill: number, method: string, from: string, to: string): Promise<void> {
  const victim = kill % 2;
  const at = 1 + ((kill * 7) % (FILES - 4));
  const event = kill % 4 < 2 ? 'begins' : 'ends';
  let count = 0;
  let killed: Promise<void> | undefined;
  seen = (what, of) => {
    if (what === event && of === method && (count += 1) === at) killed = cluster.kill(victim);
  };
  const { status, stdout, stderr } = await machine.svc('cp', '-r', '--json', from, to);
  seen = () => undefined;
  expect({ kill, status, stderr, ...(JSON.parse(stdout) as object) }).toMatchObject({
    kill,
    status: 0,
    stderr: '',
    copied: FILES,
    failed: [],
  });
  expect(killed).toBeDefined();
  await killed;
  await cluster.restart(victim);
}

async function checksums(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(join(machine.home, folder))).sort();
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name): Promise<[string, string]> => [
        name,
        createHash('sha256')
          .update(await readFile(join(machine.home, folder, name)))
          .digest('hex'),
      ]),
    ),
  );
}

describe('svc cp -r', () => {
  it(
    `uploads every file once, and copies and downloads it whole, while instances are killed (${KILLS} times)`,
    async () => {
      const expected = await checksums('up');
      for (let kill = 0; kill < KILLS; kill += 1) {
        received.clear();
        await copiedThrough(kill, 'PUT', 'up', `svc:main/files/up ${kill}`);
        const whole = [...received].filter(([call]) => call.startsWith('PUT ') && !call.includes('partNumber'));
        expect(whole.filter(([, times]) => times !== 1)).toEqual([]);
        expect(whole).toHaveLength(FILES - 1);
        if (kill % 5 > 0) continue;
        await copiedThrough(kill, 'PUT', `svc:main/files/up ${kill}`, `svc:main/photos/copy ${kill}`);
        await copiedThrough(kill, 'GET', `svc:main/photos/copy ${kill}`, `down ${kill}`);
        expect(await checksums(`down ${kill}`)).toEqual(expected);
      }
    },
    300_000 + KILLS * 120_000,
  );
});
