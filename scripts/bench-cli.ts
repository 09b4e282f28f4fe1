/** `svc sync` of 1,000 unchanged files beside `rclone sync`, in turns, on Ceph. `rclone` asks storage directly. It prints the time of the first upload too. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Machine } from '../tests/cli/svc-process.ts';
import { startApp } from '../tests/support/app.ts';
import { missingPrograms } from '../tests/support/programs.ts';
import { missingForRadosGateway, startRadosGateway } from '../tests/support/rados-gateway.ts';
import { figure } from './measuring/figures.ts';
import { median } from './measuring/median.ts';

const FILES = 1000;
const PAIRS = 5;
const run = promisify(execFile);

const missing = [...missingForRadosGateway, ...missingPrograms('rclone')];
if (missing.length > 0) {
  console.error(`missing here: ${missing.join(', ')}`);
  process.exit(2);
}

const ceph = await startRadosGateway();
const app = await startApp({ config: (config) => ({ ...config, providers: [ceph.provider] }) });
const machine = await Machine.make();
try {
  await machine.login(app.origin, 'ada');
  await machine.svc('mb', 'main/files');
  const source = join(machine.home, 'source');
  await mkdir(source);
  for (let i = 0; i < FILES; i += 1) await writeFile(join(source, `${i}.txt`), `${i} `.repeat(256));
  const bucket = ceph.rclone('files');
  const tools = {
    svc: async () => {
      const { status, stderr } = await machine.svc('sync', source, 'svc:main/files/svc');
      if (status !== 0) throw new Error(stderr);
    },
    rclone: async () => {
      await run('rclone', ['sync', source, `${bucket}/rclone`], {
        env: { ...machine.env, RCLONE_CONFIG: '/dev/null' },
      });
    },
  };
  const timed = async (name: keyof typeof tools): Promise<number> => {
    const since = performance.now();
    await tools[name]();
    return performance.now() - since;
  };
  const first = { svc: await timed('svc'), rclone: await timed('rclone') };
  const unchanged = { svc: [] as number[], rclone: [] as number[] };
  for (let pair = 0; pair < PAIRS; pair += 1)
    for (const name of pair % 2 === 0 ? (['svc', 'rclone'] as const) : (['rclone', 'svc'] as const))
      unchanged[name].push(await timed(name));
  const text = (ms: readonly number[]) => ms.map((each) => Math.round(each)).join(', ');
  console.log(`first upload of ${FILES} files: svc ${text([first.svc])} ms, rclone ${text([first.rclone])} ms`);
  console.log(`unchanged: svc ${text(unchanged.svc)} ms, rclone ${text(unchanged.rclone)} ms`);
  figure('svc sync of unchanged files, rclone = 1', median(unchanged.svc) / median(unchanged.rclone), { atMost: 1.2 });
} finally {
  await machine.remove();
  await app.close();
  await ceph.close();
}
