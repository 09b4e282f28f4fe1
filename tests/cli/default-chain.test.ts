import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Machine } from './svc-process.ts';

let machine: Machine;
let started: ChildProcess | undefined;
let env: Record<string, string>;
beforeEach(async () => {
  machine = await Machine.make();
  env = { AWS_CONFIG_FILE: join(machine.home, 'aws'), AWS_EC2_METADATA_DISABLED: 'true' };
  await writeFile(env['AWS_CONFIG_FILE']!, '[default]\ncredential_process = echo $$ >command; exec sleep 60\n');
});
afterEach(async () => {
  started?.kill('SIGKILL');
  await machine.remove();
});

/** Ends the command. @returns whether it still ran. */
async function endCommand(): Promise<boolean> {
  const pid = Number(await readFile(join(machine.home, 'command'), 'utf8'));
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

const configured = (workers = 1, format = 'text') =>
  writeFile(
    join(machine.home, 'svc.yaml'),
    JSON.stringify({
      server: { port: 0, workers },
      log: { format },
      state: { path: join(machine.home, 'state.db') },
      auth: { enabled: false },
      providers: [{ name: 'main', endpoint: 'http://127.0.0.1:1', timeout_seconds: 1, connect_timeout_seconds: 1 }],
    }),
  );

describe('while the command of the AWS default chain hangs', () => {
  it.each([1, 2])('svc serve with workers: %s ends when it is told to', async (workers) => {
    await configured(workers);
    const { child, ended, stdoutHas } = machine.start(['serve', '-c', 'svc.yaml'], env);
    started = child;
    const [, origin] = await stdoutHas(/listens on (http:\S+)/);
    expect((await fetch(`${origin}/api/providers/main/buckets`)).status).toBe(504);
    child.kill('SIGTERM');
    const { status, stdout, stderr } = await ended;
    expect([await endCommand(), status, stdout]).toEqual([true, 0, expect.stringMatching(/stopping\n$/)]);
    expect(stderr).toContain('storage_timeout');
  });

  it('svc doctor ends after its report', async () => {
    await configured();
    const { child, ended } = machine.start(['doctor', '-c', 'svc.yaml'], env);
    started = child;
    const { status, stdout } = await ended;
    expect([await endCommand(), status, stdout]).toEqual([
      true,
      1,
      expect.stringMatching(/storage main: .* did not answer in time.*\n$/),
    ]);
  });
});

it.each([1, 2])('what the AWS default chain warns of is a line of the log, with workers: %s', async (workers) => {
  await configured(workers, 'json');
  const { child, ended, stdoutHas } = machine.start(['serve', '-c', 'svc.yaml'], {
    ...env,
    AWS_PROFILE: 'none',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
  started = child;
  const [, origin] = await stdoutHas(/listens on (http:[^"]+)/);
  expect((await fetch(`${origin}/api/providers/main/buckets`)).status).toBe(502);
  child.kill('SIGTERM');
  const lines = (await ended).stderr.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('Multiple credential sources') }),
  );
});
