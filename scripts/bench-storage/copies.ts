import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from '../measuring/median.ts';
import { processorTime, processorTimeOfChildren } from '../measuring/processor-time.ts';
import type { Ready } from './contender.ts';

const FILES = 1000;
const ROUNDS = 5;
const CONTENT = Buffer.alloc(1024, 'svc');
const run = promisify(execFile);
const SVC = join(import.meta.dirname, '../../bin/svc.js');

/** Medians. The rate is in files a second, the processor time of the program and of the service in ms for each file. */
export type Copied = { readonly rate: number; readonly client: number; readonly service: number };
export type What = 'up' | 'down' | 'resumed up' | 'resumed down';
export type Storage = { readonly endpoint: string; readonly accessKey: string; readonly secretKey: string };

type Tool = { readonly copy: (from: string, to: string, resume: boolean) => Promise<unknown>; readonly at: string };

/**
 * `svc cp -r` of many small files and, where it is installed, `rclone copy`, in turns. `rclone` asks storage directly. Other builds of svc can be named in
 * `SVC_BENCH_BESIDE`, by the path of their `svc.js`.
 *
 * @param storage - the simulated one, in which `copies/` has the files and `sent/` has none.
 */
export async function measureCopies(
  { endpoint, accessKey, secretKey }: Storage,
  service: Ready & { readonly child: { readonly pid?: number | undefined } },
): Promise<Map<string, Record<What, Copied>>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-copies-'));
  // The version in Debian takes no further authorities from the environment.
  const env = {
    ...process.env,
    AWS_CA_BUNDLE: undefined,
    RCLONE_CONFIG: '/dev/null',
    XDG_STATE_HOME: folder,
    SVC_SERVER: `http://127.0.0.1:${service.port}`,
    SVC_CREDENTIAL: service.credential,
  };
  const svc = (program: string): Tool => ({
    copy: (from, to, resume) =>
      run(process.execPath, [program, 'cp', '-r', ...(resume ? ['--resume'] : []), from, to], { env }),
    at: 'svc:main/bucket',
  });
  const tools = new Map([['svc', svc(SVC)]]);
  const { SVC_BENCH_BESIDE: beside } = process.env;
  if (beside !== undefined) tools.set(beside, svc(beside));
  if (await isInstalled('rclone'))
    tools.set('rclone', {
      copy: (from, to) => run('rclone', ['copy', '--transfers', '8', '--checksum', from, to], { env }),
      at: `:s3,provider=Ceph,list_version=2,access_key_id=${accessKey},secret_access_key=${secretKey},endpoint='${endpoint}':bucket`,
    });
  try {
    const source = join(folder, 'source');
    await mkdir(source);
    for (let i = 0; i < FILES; i += 1) await writeFile(join(source, nameOf(i)), CONTENT);
    const measured = new Map<string, Record<What, Copied[]>>();
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [name, { copy, at }] of round % 2 === 0 ? tools : [...tools].reverse()) {
        const back = join(folder, `back-${round}`);
        const all = {
          up: await measure(service, () => copy(source, `${at}/sent/`, false)),
          down: await measure(service, () => copy(`${at}/copies/`, back, false)),
          'resumed up': await measure(service, () => copy(source, `${at}/copies/`, true)),
          'resumed down': await measure(service, () => copy(`${at}/copies/`, back, true)),
        };
        if ((await readdir(back)).length !== FILES) throw new Error(`${name} did not copy every file`);
        await rm(back, { recursive: true });
        // The first round fills caches.
        if (round === 0) measured.set(name, { up: [], down: [], 'resumed up': [], 'resumed down': [] });
        else for (const what of Object.keys(all) as What[]) measured.get(name)![what].push(all[what]);
      }
    }
    return new Map(
      [...measured].map(([name, { up, down, ...resumed }]) => [
        name,
        {
          up: middle(up),
          down: middle(down),
          'resumed up': middle(resumed['resumed up']),
          'resumed down': middle(resumed['resumed down']),
        },
      ]),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The names of the simulated storage. */
function nameOf(i: number): string {
  return `file-of-the-department-${String(i).padStart(6, '0')}.txt`;
}

async function isInstalled(program: string): Promise<boolean> {
  const found = await run(program, ['version']).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
  return found !== 'ENOENT';
}

async function measure(
  { child }: { readonly child: { readonly pid?: number | undefined } },
  work: () => Promise<unknown>,
): Promise<Copied> {
  const [client, service, since] = [
    await processorTimeOfChildren(),
    await processorTime(child.pid!),
    performance.now(),
  ];
  await work();
  const rate = (FILES / (performance.now() - since)) * 1000;
  return {
    rate,
    client: ((await processorTimeOfChildren()) - client) / FILES,
    service: ((await processorTime(child.pid!)) - service) / FILES,
  };
}

function middle(all: readonly Copied[]): Copied {
  return {
    rate: median(all.map(({ rate }) => rate)),
    client: median(all.map(({ client }) => client)),
    service: median(all.map(({ service }) => service)),
  };
}
