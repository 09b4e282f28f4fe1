/** The command line beside rclone and, where it is installed, the AWS CLI, in turns, on Ceph. These ask storage directly, and svc through the service. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Machine } from '../tests/cli/svc-process.ts';
import { startApp } from '../tests/support/app.ts';
import { missingPrograms } from '../tests/support/programs.ts';
import { missingForRadosGateway, startRadosGateway } from '../tests/support/rados-gateway.ts';
import { figure } from './measuring/figures.ts';
import { median } from './measuring/median.ts';
import { processorTimeOfChildren } from './measuring/processor-time.ts';

const FILES = 1000;
const ROUNDS = 5;
const run = promisify(execFile);

const missing = [...missingForRadosGateway, ...missingPrograms('rclone')];
if (missing.length > 0) {
  console.error(`missing here: ${missing.join(', ')}`);
  process.exit(2);
}

type Tool = 'svc' | 'rclone' | 'aws';
/** The arguments of each tool. `atMost` is a limit for svc, rclone = 1. */
type Row = { readonly what: string; readonly atMost: number } & { readonly [T in Tool]: readonly string[] };

const ceph = await startRadosGateway();
const app = await startApp({ config: (config) => ({ ...config, providers: [ceph.provider] }) });
const machine = await Machine.make();
try {
  await machine.login(app.origin, 'ada');
  await machine.svc('mb', 'main/files');
  const source = join(machine.home, 'source');
  await mkdir(source);
  for (let i = 0; i < FILES; i += 1) await writeFile(join(source, `${i}.txt`), `${i} `.repeat(256));
  const [bucket, back] = [ceph.rclone('files'), join(machine.home, 'back')];
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = ceph.provider.credentials;
  const env = {
    ...machine.env,
    RCLONE_CONFIG: '/dev/null',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_DEFAULT_REGION: 'us-east-1',
    // Ceph 16 does not know the checksums that newer versions send.
    AWS_REQUEST_CHECKSUM_CALCULATION: 'when_required',
  };
  const s3 = ['s3', '--endpoint-url', ceph.provider.endpoint];
  const rows: readonly Row[] = [
    { what: 'start', atMost: 2, svc: ['--version'], rclone: ['version'], aws: ['--version'] },
    {
      what: 'upload 1,000 files',
      atMost: 1,
      svc: ['cp', '-r', source, 'svc:main/files/svc'],
      rclone: ['copy', '--transfers', '8', '--ignore-times', source, `${bucket}/rclone`],
      aws: [...s3, 'cp', '--recursive', '--quiet', source, 's3://files/aws'],
    },
    {
      what: 'download 1,000 files',
      atMost: 1,
      svc: ['cp', '-r', 'svc:main/files/svc', back],
      rclone: ['copy', '--transfers', '8', `${bucket}/rclone`, back],
      aws: [...s3, 'cp', '--recursive', '--quiet', 's3://files/aws', back],
    },
    {
      what: 'sync 1,000 unchanged files',
      atMost: 1.2,
      svc: ['sync', source, 'svc:main/files/svc'],
      rclone: ['sync', source, `${bucket}/rclone`],
      aws: [...s3, 'sync', '--quiet', source, 's3://files/aws'],
    },
    {
      what: 'list 1,000 keys',
      atMost: 2,
      svc: ['ls', '-r', 'main/files/svc/'],
      rclone: ['lsf', '-R', `${bucket}/rclone`],
      aws: [...s3, 'ls', '--recursive', 's3://files/aws/'],
    },
  ];
  const tools: readonly Tool[] = missingPrograms('aws').length === 0 ? ['svc', 'rclone', 'aws'] : ['svc', 'rclone'];
  for (const row of rows) {
    const times = { svc: [], rclone: [], aws: [] } as Record<Tool, { ms: number; processor: number }[]>;
    // The first round fills caches.
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const tool of round % 2 === 0 ? tools : [...tools].reverse()) {
        await rm(back, { recursive: true, force: true });
        const [since, before] = [performance.now(), await processorTimeOfChildren()];
        if (tool === 'svc') {
          const { status, stderr } = await machine.svc(...row.svc);
          if (status !== 0) throw new Error(stderr);
        } else await run(tool, [...row[tool]], { env, maxBuffer: 16 * 2 ** 20 });
        if (round === 0) continue;
        times[tool].push({ ms: performance.now() - since, processor: (await processorTimeOfChildren()) - before });
      }
    console.log(`\n${row.what}, median of ${ROUNDS} rounds`);
    const middle = (tool: Tool, of: 'ms' | 'processor') => median(times[tool].map((time) => time[of]));
    for (const tool of tools)
      console.log(
        `  ${tool.padEnd(7)} ${Math.round(middle(tool, 'ms'))} ms, ${Math.round(middle(tool, 'processor'))} ms of its processor time`,
      );
    figure(`${row.what}, time of svc, rclone = 1`, middle('svc', 'ms') / middle('rclone', 'ms'), row);
  }
} finally {
  await machine.remove();
  await app.close();
  await ceph.close();
}
