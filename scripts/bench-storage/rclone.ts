import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Ready } from './contender.ts';

const FILES = 1000;
const ROUNDS = 3;
const run = promisify(execFile);
const SVC = join(import.meta.dirname, '../../bin/svc.js');

/** Files a second, the median of some rounds. */
export type Copied = { readonly up: number; readonly down: number };
export type Gateway = { readonly endpoint: string; readonly accessKey: string; readonly secretKey: string };

/** `svc cp -r` of many small files beside `rclone copy`, both with what they do unasked, to a real storage. Undefined where there is no rclone. */
export async function compareWithRclone(
  { endpoint, accessKey, secretKey }: Gateway,
  service: Ready,
): Promise<{ readonly svc: Copied; readonly rclone: Copied } | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-copies-'));
  const remote = `:s3,provider=Ceph,access_key_id=${accessKey},secret_access_key=${secretKey},endpoint='${endpoint}':bucket`;
  // The version in Debian takes no further authorities from the environment.
  const env = {
    ...process.env,
    AWS_CA_BUNDLE: undefined,
    RCLONE_CONFIG: '/dev/null',
    SVC_SERVER: `http://127.0.0.1:${service.port}`,
    SVC_CREDENTIAL: service.credential,
  };
  const tools = {
    svc: {
      copy: (from: string, to: string) => run(process.execPath, [SVC, 'cp', '-r', from, to], { env }),
      at: (name: string) => `svc:main/bucket/${name}/`,
    },
    rclone: {
      copy: (from: string, to: string) => run('rclone', ['copy', from, to], { env }),
      at: (name: string) => `${remote}/${name}`,
    },
  };
  try {
    if (
      (await run('rclone', ['version'], { env }).catch((error: unknown) => (error as NodeJS.ErrnoException).code)) ===
      'ENOENT'
    )
      return undefined;
    await run('rclone', ['mkdir', remote], { env });
    const source = join(folder, 'source');
    await mkdir(source);
    for (let i = 0; i < FILES; i += 1) await writeFile(join(source, `file-${i}.txt`), `${i} `.repeat(200));
    const rates = {
      svc: { up: [] as number[], down: [] as number[] },
      rclone: { up: [] as number[], down: [] as number[] },
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of ['svc', 'rclone'] as const) {
        const { copy, at } = tools[name];
        const [there, back] = [at(`${name}-${round}`), join(folder, `${name}-${round}`)];
        rates[name].up.push(await rateOf(() => copy(source, there)));
        rates[name].down.push(await rateOf(() => copy(there, back)));
        if ((await readdir(back)).length !== FILES) throw new Error(`${name} did not copy every file`);
      }
    }
    const copied = ({ up, down }: { up: number[]; down: number[] }): Copied => ({ up: middle(up), down: middle(down) });
    return { svc: copied(rates.svc), rclone: copied(rates.rclone) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function rateOf(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return (FILES / (performance.now() - since)) * 1000;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
