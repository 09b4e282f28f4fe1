import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const START_MS = 10_000;
/** Memory, where the system has it as a folder: it outlives a killed Redis, and a busy disk does not hold up what waits for each change. */
const KEPT_IN = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Debian's `redis-server`, on a port and in a folder of its own, that can be killed, frozen and started again. */
export class RedisServer {
  readonly port: number;
  readonly #directory: string;
  #process: ChildProcess | undefined;

  readonly #more: readonly string[];

  private constructor(port: number, directory: string, more: readonly string[]) {
    this.port = port;
    this.#more = more;
    this.#directory = directory;
  }

  /** @param more - further arguments. */
  static async start(...more: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), await mkdtemp(join(KEPT_IN, 'svc-redis-')), more);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again after `kill`, with what it had written: every change is on the disk before it is answered. */
  async restart(): Promise<void> {
    this.#process = spawn(
      'redis-server',
      [
        '--port',
        String(this.port),
        '--bind',
        '127.0.0.1',
        '--dir',
        this.#directory,
        '--save',
        '',
        '--appendonly',
        'yes',
        '--appendfsync',
        'always',
        '--logfile',
        'redis.log',
        ...this.#more,
      ],
      { stdio: 'ignore' },
    );
    const failed = once(this.#process, 'error').then(([error]) =>
      Promise.reject(
        new Error('redis-server cannot be started; install it with `apt-get install redis-server`', { cause: error }),
      ),
    );
    await Promise.race([failed, this.#answering()]);
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Stands still, with every connection open. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  /** A node that is a Redis Cluster by itself, and so refuses no key. */
  static async startClusterNode(): Promise<RedisServer> {
    const server = await RedisServer.start('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()));
    await server.ask('CLUSTER ADDSLOTSRANGE 0 16383');
    while (!(await server.ask('CLUSTER INFO')).includes('cluster_state:ok')) await wait(20);
    return server;
  }

  /** @param settings - further lines of its configuration. */
  static async startSentinel(...settings: readonly string[]): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'svc-sentinel-'));
    const server = new RedisServer(await freePort(), directory, []);
    const file = join(directory, 'sentinel.conf');
    await writeFile(file, [`port ${server.port}`, 'bind 127.0.0.1', `dir ${directory}`, ...settings, ''].join('\n'));
    server.#process = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
    await server.#answering();
    return server;
  }

  /** From now on, for new connections. */
  async requirePassword(password: string): Promise<void> {
    await this.ask(`CONFIG SET requirepass ${password}`);
  }

  /** Forgets everything. */
  async empty(): Promise<void> {
    await this.ask('FLUSHALL');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #answering(): Promise<void> {
    for (const end = performance.now() + START_MS; performance.now() < end;) {
      const answer = await this.ask('PING').catch(() => '');
      if (answer.startsWith('+PONG') || answer.startsWith('-NOAUTH')) return;
      await wait(20);
    }
    throw new Error(`redis-server did not answer on port ${this.port} within ${START_MS} ms`);
  }

  /** The beginning of the raw answer. @throws when the server cuts the connection off before it. */
  async ask(command: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.write(`${command}\r\n`);
      const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
      if (typeof answer === 'boolean')
        throw new Error(`redis-server cut the connection off instead of answering ${command}`);
      return answer.toString();
    } finally {
      socket.destroy();
    }
  }
}
