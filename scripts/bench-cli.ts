/** The command line beside rclone and, where it is installed, the AWS CLI, in turns, on Ceph. These ask storage directly, and svc through the service. */
import { execFile, type ChildProcess } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Machine } from '../tests/cli/svc-process.ts';
import { missingPrograms } from '../tests/support/programs.ts';
import { missingForRadosGateway, startRadosGateway } from '../tests/support/rados-gateway.ts';
import type { Ready } from './bench-storage/contender.ts';
import { figure } from './measuring/figures.ts';
import { median } from './measuring/median.ts';
import { processorTime, processorTimeOfChildren } from './measuring/processor-time.ts';
import { startContender } from './measuring/start-contender.ts';

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
const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = ceph.provider.credentials;
const machine = await Machine.make();
const children: ChildProcess[] = [];
try {
  const service = await startContender<Ready>(
    'bench-storage/contender.ts',
    ['logging', ceph.provider.endpoint],
    children,
    { ...process.env, SVC_TEST_S3_ACCESS_KEY: accessKeyId, SVC_TEST_S3_SECRET_KEY: secretAccessKey },
  );
  Object.assign(machine.env, {
    SVC_SERVER: `http://127.0.0.1:${service.port}`,
    SVC_CREDENTIAL: service.credential,
  });
  const source = join(machine.home, 'source');
  await mkdir(source);
  for (let i = 0; i < FILES; i += 1) await writeFile(join(source, `${i}.txt`), `${i} `.repeat(256));
  const [bucket, back] = [ceph.rclone('bucket'), join(machine.home, 'back')];
  const env = {
    ...machine.env,
    RCLONE_CONFIG: '/dev/null',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_DEFAULT_REGION: 'us-east-1',
    // Ceph 16 does not know the checksums that newer versions send.
    AWS_REQUEST_CHECKSUM_CALCULATION: 'when_required',
  };
  await run('rclone', ['mkdir', bucket], { env });
  const s3 = ['s3', '--endpoint-url', ceph.provider.endpoint];
  const rows: readonly Row[] = [
    { what: 'start', atMost: 2, svc: ['--version'], rclone: ['version'], aws: ['--version'] },
    {
      what: 'upload 1,000 files',
      atMost: 1,
      svc: ['cp', '-r', source, 'svc:main/bucket/svc'],
      rclone: ['copy', '--transfers', '8', '--ignore-times', source, `${bucket}/rclone`],
      aws: [...s3, 'cp', '--recursive', '--quiet', source, 's3://bucket/aws'],
    },
    {
      what: 'download 1,000 files',
      atMost: 1,
      svc: ['cp', '-r', 'svc:main/bucket/svc', back],
      rclone: ['copy', '--transfers', '8', `${bucket}/rclone`, back],
      aws: [...s3, 'cp', '--recursive', '--quiet', 's3://bucket/aws', back],
    },
    {
      what: 'sync 1,000 unchanged files',
      atMost: 1.2,
      svc: ['sync', source, 'svc:main/bucket/svc'],
      rclone: ['sync', source, `${bucket}/rclone`],
      aws: [...s3, 'sync', '--quiet', source, 's3://bucket/aws'],
    },
    {
      what: 'list 1,000 keys',
      atMost: 2,
      svc: ['ls', '-r', 'main/bucket/svc/'],
      rclone: ['lsf', '-R', `${bucket}/rclone`],
      aws: [...s3, 'ls', '--recursive', 's3://bucket/aws/'],
    },
  ];
  const tools: readonly Tool[] = missingPrograms('aws').length === 0 ? ['svc', 'rclone', 'aws'] : ['svc', 'rclone'];
  for (const row of rows) {
    const times = { svc: [], rclone: [], aws: [] } as Record<
      Tool,
      { ms: number; processor: number; service: number }[]
    >;
    // The first round fills caches.
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const tool of round % 2 === 0 ? tools : [...tools].reverse()) {
        await rm(back, { recursive: true, force: true });
        const [since, before, served] = [performance.now(), await processorTimeOfChildren(), await timeOf(service)];
        if (tool === 'svc') {
          const { status, stderr } = await machine.svc(...row.svc);
          if (status !== 0) throw new Error(stderr);
        } else await run(tool, [...row[tool]], { env, maxBuffer: 16 * 2 ** 20 });
        if (round === 0) continue;
        times[tool].push({
          ms: performance.now() - since,
          processor: (await processorTimeOfChildren()) - before,
          service: (await timeOf(service)) - served,
        });
      }
    console.log(`\n${row.what}, median of ${ROUNDS} rounds`);
    const middle = (tool: Tool, of: 'ms' | 'processor' | 'service') => median(times[tool].map((time) => time[of]));
    for (const tool of tools)
      console.log(
        `  ${tool.padEnd(7)} ${Math.round(middle(tool, 'ms'))} ms, ${Math.round(middle(tool, 'processor'))} ms of its processor time${tool === 'svc' ? `, ${Math.round(middle(tool, 'service'))} ms of the service's` : ''}`,
      );
    figure(`${row.what}, time of svc, rclone = 1`, middle('svc', 'ms') / middle('rclone', 'ms'), row);
  }
} finally {
  for (const child of children) child.kill('SIGKILL');
  await machine.remove();
  await ceph.close();
}

function timeOf({ child }: { readonly child: ChildProcess }): Promise<number> {
  return processorTime(child.pid!);
}
