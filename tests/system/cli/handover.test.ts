import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { builtProgram } from '../../support/built-program.ts';
import { missingPrograms } from '../../support/programs.ts';

/** Keeps a listening socket and hands it to each service that it starts, as systemd does with a socket unit. Says the port, then the exit status of each service that ended. */
const SUPERVISOR = `
import os, socket, subprocess, sys
listening = socket.create_server((sys.argv[1], 0), backlog=1024)
listening.set_inheritable(True)
print(listening.getsockname()[1], flush=True)
for line in sys.stdin:
    hand_over = ['sh', '-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"', *sys.argv[2:]]
    child = subprocess.Popen(hand_over, preexec_fn=lambda: os.dup2(listening.fileno(), 3), close_fds=False, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    sys.stdin.readline()
    child.terminate()
    print(child.wait(), flush=True)
`;

const missing = missingPrograms('python3');

let directory: string;
let supervisor: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-handover-'));
});
afterEach(() => {
  if (supervisor?.pid !== undefined) process.kill(-supervisor.pid, 'SIGKILL');
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** On a connection of its own: the status, or why there is none. */
function ask(port: number): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = request({ port, path: '/api/health', agent: false }, (res) =>
      res.resume().once('end', () => resolve(res.statusCode ?? 0)),
    );
    asked.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end();
  });
}

const lineOf = async (lines: Interface): Promise<string> => ((await once(lines, 'line')) as [string])[0];

const unless = missing.length > 0 ? `: ${missing.join()} is missing` : '';
const onSockets = missing.length > 0 ? it.skip : it;

/** A supervisor that listens on an address, and the service that it starts. */
async function supervise(address: string, workers = 1) {
  const config = join(directory, 'svc.yaml');
  await writeFile(config, `server: {workers: ${workers}}\nauth: {enabled: false}\nproviders: []\n`);
  supervisor = spawn(
    'python3',
    ['-c', SUPERVISOR, address, process.execPath, await builtProgram(), 'serve', '--config', config],
    { detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  return supervisor;
}

onSockets(
  `svc serve refuses a socket that everyone can reach when there is no sign-in${unless}`,
  async () => {
    const running = await supervise('0.0.0.0');
    let said = '';
    running.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const lines = createInterface({ input: running.stdout });
    await lineOf(lines);
    running.stdin.write('start\n');
    while (!/could not start: the inherited socket listens on `0\.0\.0\.0`/.test(said))
      await once(running.stderr, 'data');
  },
  60_000,
);

onSockets.each([1, 2])(
  `svc serve with %i processes on a socket that it was given loses no request when the next process takes its place under load${unless}`,
  async (workers) => {
    const running = await supervise('127.0.0.1', workers);
    const lines = createInterface({ input: running.stdout });
    const port = Number(await lineOf(lines));
    running.stdin.write('start\n');
    expect(await ask(port)).toBe(200);
    let isOver = false;
    const results = new Map<number | string, number>();
    const answered = () => [...results.values()].reduce((sum, count) => sum + count, 0);
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const result = await ask(port);
        results.set(result, (results.get(result) ?? 0) + 1);
      }
    });
    for (let change = 0; change < 3; change += 1) {
      for (const before = answered(); answered() < before + 30;) await wait(10);
      running.stdin.write('stop\n');
      expect(await lineOf(lines)).toBe('0');
      running.stdin.write('start\n');
      expect(await ask(port)).toBe(200);
    }
    isOver = true;
    await Promise.all(load);
    expect([...results.keys()]).toEqual([200]);
  },
  60_000,
);
