import { createHash, randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { matchingLines } from '../../../src/audit/audit-lines.ts';
import { EVERYTHING } from '../../../src/policy/index/grants.ts';
import { createBucket } from '../../../src/storage/buckets.ts';
import { getObject } from '../../../src/storage/object-read.ts';
import type { StorageProvider } from '../../../src/storage/provider.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { listVersions } from '../../../src/storage/version-listing.ts';
import { withoutPolicy } from '../../../src/storage/without-policy.ts';
import { Machine } from '../../cli/svc-process.ts';
import { ACCOUNTS, CONFIG, SESSION_SECRET } from '../../support/app.ts';
import { builtProgram } from '../../support/built-program.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { freePorts } from '../../support/free-port.ts';
import { startIdentityProvider, type IdentityProvider } from '../../support/identity-provider.ts';
import { startRadosGateway, type RadosGateway } from '../../support/rados-gateway.ts';
import { setVersioning } from '../../support/versioning.ts';

const KEYS = Number(process.env['SVC_RESTORE_KEYS'] ?? 5_000);
const BUCKET = 'svc-test-many';
const AT_ONCE = 16;

describeRadosGateway(`svc restore of ${KEYS} keys on the gateway of Ceph`, () => {
  let ceph: RadosGateway;
  let storage: Storage;
  let provider: StorageProvider;
  let idp: IdentityProvider;
  let machine: Machine;
  let directory: string;
  let origin: string;
  let service: ChildProcess;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-many-'));
    ceph = await startRadosGateway();
    storage = new Storage([ceph.options]);
    provider = storage.providers.provider('ceph');
    await createBucket(withoutPolicy({ provider, bucket: BUCKET }));
    await setVersioning(provider, BUCKET, 'Enabled');
    const [port = 0] = await freePorts(1);
    origin = `http://127.0.0.1:${port}`;
    const client = { client_id: 'svc', client_secret: 'idp-client-secret' };
    idp = await startIdentityProvider({
      accounts: ACCOUNTS,
      clients: [
        {
          ...client,
          redirect_uris: [`${origin}/api/auth/callback`, `${origin}/v1/auth/callback`],
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
    });
    await writeFile(
      join(directory, 'svc.config.yaml'),
      JSON.stringify({
        ...CONFIG,
        server: { port },
        auth: {
          enabled: true,
          public_origin: origin,
          oidc: { issuer: idp.issuer, ...client },
          session: { type: 'database' },
        },
        state: { path: 'state.db' },
        audit: { path: 'audit', instance: 'one', signing_secret: SESSION_SECRET },
        providers: [ceph.provider],
      }),
    );
    await startService();
    machine = await Machine.make();
    await machine.login(origin, 'ada');
  });
  afterAll(async () => {
    await stopService();
    await machine.remove();
    await idp.close();
    storage.close();
    await ceph.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function startService(): Promise<void> {
    service = spawn(process.execPath, [await builtProgram(), 'serve', '--config', join(directory, 'svc.config.yaml')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SVC_SESSION_SECRET: SESSION_SECRET },
    });
    let said = '';
    for await (const chunk of service.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      said += String(chunk);
      if (said.includes('svc listens on')) break;
    }
    service.stdout!.resume();
  }

  async function stopService(): Promise<void> {
    if (service.exitCode !== null || service.signalCode !== null) return;
    const exit = once(service, 'exit');
    service.kill('SIGKILL');
    await exit;
  }

  /** MiB of memory that the service has, and the most that it had. */
  function memory(): { now: number; most: number } {
    const status = readFileSync(`/proc/${service.pid!}/status`, 'utf8');
    const of = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024);
    return { now: of('VmRSS'), most: of('VmHWM') };
  }

  /** How many keys the audit says are done. */
  function restoredSoFar(): number {
    const text = readFileSync(join(directory, 'audit/one/00000001.jsonl'), 'utf8');
    return text.split('"kind":"outcome","operation":"object/restoreFolder"').length - 1;
  }

  async function everyVersion() {
    const found: { readonly key: string; readonly version: string; readonly isLatest: boolean }[] = [];
    let cursor: string | undefined;
    do {
      const place = withoutPolicy({ provider, bucket: BUCKET, prefix: '' });
      const page = await listVersions(place, { cursor, limit: 1000, grants: EVERYTHING });
      found.push(...page.versions);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  }

  // The figure depends on the machine, so it is only printed.
  it('brings back what one person deleted, also when the service is killed in between, and names each key in the audit', async () => {
    const hashes = new Map<string, string>();
    const versions = new Map<string, string>();
    const keys = Array.from({ length: KEYS }, (_, i) => `team/${String(i).padStart(5, '0')}.bin`);
    await pLimit(AT_ONCE).map(keys, async (key) => {
      const body = randomBytes(1 + Math.floor(Math.random() * 500));
      hashes.set(key, createHash('sha256').update(body).digest('hex'));
      const { headers } = await provider.s3.send({ method: 'PUT', bucket: BUCKET, key, body });
      versions.set(key, headers['x-amz-version-id']!);
    });
    await setTimeout(50);
    const at = new Date().toISOString();
    expect((await machine.svc('rm', '-r', `main/${BUCKET}/team`)).status).toBe(0);

    const before = memory();
    const first = machine.start(['restore', '--at', at, '--json', `main/${BUCKET}/team/`]);
    while (restoredSoFar() === 0) await setTimeout(10);
    const began = performance.now();
    while (restoredSoFar() < KEYS / 2) await setTimeout(50);
    const perSecond = Math.round((restoredSoFar() * 1000) / (performance.now() - began));
    const during = memory();
    await stopService();
    const killed = await first.ended;
    const restored = (await everyVersion()).length - 2 * KEYS;
    expect([killed.status, restored >= KEYS / 2, restored < KEYS]).toEqual([1, true, true]);

    await startService();
    const rest = await machine.svc('restore', '--at', at, '--json', `main/${BUCKET}/team/`);
    expect(rest).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(rest.stdout)).toMatchObject({
      counts: {
        restore: { objects: KEYS - restored },
        unchanged: { objects: restored },
        delete: { objects: 0 },
        leave: { objects: 0 },
      },
    });
    // Each key has its content, the deletion and one copy.
    expect((await everyVersion()).length).toBe(3 * KEYS);
    const found = new Map<string, string>();
    await pLimit(AT_ONCE).map(keys, async (key) => {
      const { body } = await getObject(withoutPolicy({ provider, bucket: BUCKET, key }), {});
      found.set(
        key,
        createHash('sha256')
          .update(await buffer(body!))
          .digest('hex'),
      );
    });
    expect(keys.filter((key) => found.get(key) !== hashes.get(key))).toEqual([]);

    const lines = [...matchingLines(join(directory, 'audit'), { operation: 'object/restoreFolder' })];
    const named = (kind: string) =>
      lines
        .filter((line) => line.kind === kind)
        .flatMap(({ resources }) =>
          resources.flatMap(({ key, version, action }: { key?: string; version?: string; action?: string }) =>
            action === 'objects:restore' && versions.get(key!) === version ? [key!] : [],
          ),
        );
    const intended = named('intent');
    expect(new Set(intended).size).toBe(KEYS);
    // Those under way when the service was killed have only an intent; nothing was begun twice that was known to be done.
    expect(KEYS - new Set(named('outcome')).size).toBeLessThanOrEqual(12);
    console.log(
      `${perSecond} keys a second until the kill; memory in MiB: ${JSON.stringify({ before, during, after: memory() })}`,
    );
  }, 900_000);
});
