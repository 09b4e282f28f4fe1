import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { PostgresChanges } from '../../src/state/postgres-changes.ts';
import { PostgresDatabase, type PostgresOptions } from '../../src/state/postgres-database.ts';
import { freePort } from './free-port.ts';
import { madeOnce } from './made-once.ts';
import { missingPrograms } from './programs.ts';

const run = promisify(execFile);
const START_MS = 30_000;
const PACKAGES = '/usr/lib/postgresql';
const PASSWORD = 'of the tests: with spaces, "quotes" & 100 % signs';

function newest(): string {
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES).sort((a, b) => Number(b) - Number(a)) : [];
  return join(PACKAGES, versions[0] ?? '15', 'bin');
}

export const missingForPostgres = missingPrograms(
  ...['initdb', 'postgres', 'pg_basebackup'].map((name) => join(newest(), name)),
  'setpriv',
);

export type PostgresSetup = {
  /** A server certificate; connections with TLS are taken then, and no others. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly ca: string };
  /** The server that this one follows: it is a hot standby then. */
  readonly standbyOf?: PostgresServer;
};

/** Debian's PostgreSQL, on a port and in a folder of its own, that can be killed, frozen and started again. What it answers outlasts a kill, though not of the machine. */
export class PostgresServer {
  readonly port: number;
  readonly #directory: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, directory: string) {
    this.port = port;
    this.#directory = directory;
  }

  static async start(setup: PostgresSetup = {}): Promise<PostgresServer> {
    const directory = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
    // PostgreSQL gives up root's rights and must still get in.
    await chmod(directory, 0o755);
    const server = new PostgresServer(await freePort(), directory);
    try {
      await server.#make(setup);
      await server.restart();
      if (setup.standbyOf === undefined) await server.sql(`CREATE ROLE svc LOGIN PASSWORD '${PASSWORD}'`);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Connects to a new, empty database, whose owner is the user. */
  async database(changes: Partial<PostgresOptions> = {}): Promise<PostgresOptions> {
    const database = `db_${Math.random().toString(36).slice(2)}`;
    await this.sql(`CREATE DATABASE ${database} OWNER svc`);
    return {
      servers: [{ host: '127.0.0.1', port: this.port }],
      user: 'svc',
      password: PASSWORD,
      passwordFile: undefined,
      database,
      tls: undefined,
      poolSize: 4,
      connectTimeoutMs: 20_000,
      statementTimeoutMs: 20_000,
      warn: () => undefined,
      ...changes,
    };
  }

  /** Forgets everything in a database. */
  async empty({ database }: PostgresOptions): Promise<void> {
    await this.sql(
      'DELETE FROM svc.sessions; DELETE FROM svc.api_keys; DELETE FROM svc.s3_keys; DELETE FROM svc.suspensions; DELETE FROM svc.entries; DELETE FROM svc.used',
      database,
    );
  }

  /** Runs a statement as a superuser. */
  async sql(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new Client({
      host: '127.0.0.1',
      port: this.port,
      user: 'postgres',
      database,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  /** Starts it again after `kill`. */
  async restart(): Promise<void> {
    for (const end = performance.now() + START_MS; performance.now() < end;) {
      // Right after a kill it ends at once, as long as a process of a connection is there.
      if (!this.#isRunning()) this.#spawn();
      if ((await this.sql('SELECT 1').catch(() => undefined)) !== undefined) return;
      await wait(50);
    }
    throw new Error(
      `PostgreSQL did not start on port ${this.port}: ${readFileSync(join(this.#directory, 'log'), 'utf8').slice(-2000)}`,
    );
  }

  /** All of its processes at once, like a machine that loses its power. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Stands still, with every connection open. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.sql('SELECT pg_promote()');
  }

  async stop(): Promise<void> {
    this.thaw();
    await this.#end('SIGINT');
    await rm(this.#directory, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#directory, 'data');
  }

  async #make({ tls, standbyOf }: PostgresSetup): Promise<void> {
    await mkdir(this.#data, { mode: 0o700 });
    await chownToPostgres(this.#data);
    if (standbyOf !== undefined) {
      await run('setpriv', [
        ...AS_POSTGRES,
        join(newest(), 'pg_basebackup'),
        '-D',
        this.#data,
        '-h',
        '127.0.0.1',
        '-p',
        String(standbyOf.port),
        '-U',
        'postgres',
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '--no-sync',
      ]);
      return;
    }
    await run('cp', ['-a', `${await empty()}/.`, this.#data]);
    await appendFile(
      join(this.#data, 'postgresql.conf'),
      `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\ndynamic_shared_memory_type = mmap\nshared_buffers = 32MB\nmax_wal_size = 256MB\nwal_keep_size = 64MB\nfsync = off\n`,
    );
    const kind = tls === undefined ? 'host' : 'hostssl';
    await writeFile(
      join(this.#data, 'pg_hba.conf'),
      `host all postgres 127.0.0.1/32 trust\nhost replication postgres 127.0.0.1/32 trust\n${kind} all svc 127.0.0.1/32 scram-sha-256${tls === undefined ? '' : ' clientcert=verify-ca'}\n`,
    );
    if (tls === undefined) return;
    for (const [name, content] of [
      ['server.key', tls.key],
      ['server.crt', tls.cert],
      ['ca.crt', tls.ca],
    ] as const) {
      await writeFile(join(this.#data, name), content, { mode: 0o600 });
      await chownToPostgres(join(this.#data, name));
    }
    await appendFile(join(this.#data, 'postgresql.conf'), `ssl = on\nssl_ca_file = 'ca.crt'\n`);
  }

  #spawn(): void {
    const log = openSync(join(this.#directory, 'log'), 'a');
    this.#process = spawn(
      'setpriv',
      [...AS_POSTGRES, join(newest(), 'postgres'), '-D', this.#data, '-p', String(this.port)],
      { cwd: this.#directory, stdio: ['ignore', log, log], env: { ...process.env, LC_ALL: 'C.UTF-8' } },
    );
    closeSync(log);
  }

  #isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || !this.#isRunning()) return;
    const exited = once(child, 'exit');
    // The others end with the first, except when nobody is left to tell them.
    if (signal === 'SIGKILL') this.#signal(signal);
    else child.kill(signal);
    await exited;
  }

  /** To the server and to the processes of its connections. */
  #signal(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined || !this.#isRunning()) return;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '');
    for (const each of [pid, ...children.map(Number)]) {
      try {
        process.kill(each, signal);
      } catch {
        // It has ended.
      }
    }
  }
}

const AS_POSTGRES = ['--reuid', 'postgres', '--regid', 'postgres', '--init-groups'];

/** The folder of an empty server. To make it takes longer than most tests. */
function empty(): Promise<string> {
  const initdb = join(newest(), 'initdb');
  // PostgreSQL cannot get in where the checkout is somebody's own.
  const make = `made=$(mktemp -d) && chown postgres "$made" && (cd "$made" && setpriv ${AS_POSTGRES.join(' ')} ${initdb} -D "$made/data" -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync) && mv "$made/data" "$out" && rmdir "$made"`;
  return madeOnce('postgres', [initdb], make);
}

async function chownToPostgres(path: string): Promise<void> {
  const [, , uid, gid] = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((line) => line.startsWith('postgres:'))!
    .split(':');
  await chown(path, Number(uid), Number(gid));
}

export type OpenPostgres = {
  readonly database: PostgresDatabase;
  readonly changes: PostgresChanges;
  readonly close: () => Promise<void>;
};

/** The state database as one instance has it. */
export async function openPostgres(options: PostgresOptions): Promise<OpenPostgres> {
  const database = await PostgresDatabase.open(options);
  const changes = new PostgresChanges(database);
  return {
    database,
    changes,
    close: async () => {
      await changes.close();
      await database.close();
    },
  };
}

/** As `state.url` has it. */
export function urlOf({ servers, user, password, database }: PostgresOptions): string {
  return `postgresql://${user}:${encodeURIComponent(password ?? '')}@${servers.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`;
}
