import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');

let directory: string;
let started: ChildProcess | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-stop-'));
  await writeFile(join(directory, 'svc.yaml'), `server: {port: ${await freePort()}}\nproviders: []\n`);
});
afterEach(async () => {
  if (started?.pid !== undefined) endGroup(started.pid);
  await rm(directory, { recursive: true });
});

type Serving = {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly output: () => string;
  /** Every process that could write is gone. */ readonly silent: Promise<unknown>;
};

async function serve(command: string, ...args: readonly string[]): Promise<Serving> {
  const child = spawn(command, [...args, 'serve', '--config', join(directory, 'svc.yaml')], {
    cwd: CHECKOUT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started = child;
  const silent = once(child.stdout, 'close');
  let output = '';
  child.stdout.setEncoding('utf8');
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      output += text;
      const found = /listens on (http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`ended without listening: ${output}`)));
  });
  return { child, origin, output: () => output, silent };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

const answers = (origin: string): Promise<boolean> =>
  fetch(`${origin}/api/health`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('svc serve', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('stops in good order on %s', async (signal) => {
    const { child, origin, output, silent } = await serve(process.execPath, 'bin/svc.js');
    expect(await answers(origin)).toBe(true);
    const exited = once(child, 'exit');
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    await silent;
    expect(output()).toMatch(/stopping\n$/);
  });

  it('ends when the npm that started it is told to', async () => {
    const { child, origin, output, silent } = await serve('npm', 'run', '-s', 'svc', '--');
    expect(await answers(origin)).toBe(true);
    child.kill('SIGTERM');
    await silent;
    expect(await answers(origin)).toBe(false);
    expect(output()).toMatch(/stopping\n$/);
  });
});
