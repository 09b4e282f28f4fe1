import { readFile } from 'node:fs/promises';
import { Client, Pool, types, type PoolClient } from 'pg';
import { SvcError } from '../errors/svc-error.ts';
import { canBeRepeated, isElsewhere, isOfStatement, postgresFault, stateUnavailable } from './postgres-fault.ts';
import type { Ask, Row } from './postgres-ask.ts';
import { migratePostgres } from './postgres-migrate.ts';
import { ServerSocket } from './postgres-socket.ts';

export type PostgresOptions = {
  /** The servers in the order in which they are tried. The one that accepts changes is used. */
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  readonly password: string | undefined;
  /** File with the password, instead of `password`. It is read for each connection, so that the password can be changed while the service runs. */
  readonly passwordFile: string | undefined;
  readonly database: string;
  /** In PEM; undefined for a connection without TLS. `ca` is all trusted certificates; Node's own when left out. */
  readonly tls:
    | {
        readonly ca: readonly string[] | undefined;
        readonly cert: string | undefined;
        readonly key: string | undefined;
      }
    | undefined;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Called with the reason when the database becomes unusable. */
  readonly warn: (message: string) => void;
};

const PROGRAM = 'svc';
/** The name of the connection on which a running service hears of changes. */
export const LISTENING = `${PROGRAM} listening`;
const INT8 = types.builtins.INT8;
/** The server aborts a statement that takes too long. If the server is silent, the connection is dropped this much later. */
const SILENCE_MS = 500;
const ATTEMPTS = 5;

/**
 * The state database on PostgreSQL, for any number of instances.
 *
 * A query fails when no connection is available within `connectTimeoutMs`, or no answer arrives within `statementTimeoutMs`; the connection is then dropped.
 * With several servers, the next connection goes to the one that accepts changes.
 */
export class PostgresDatabase {
  readonly #options: PostgresOptions;
  readonly #pool: Pool;
  #server = 0;
  #migrated: Promise<void> | undefined;
  #isDown = false;

  private constructor(options: PostgresOptions) {
    this.#options = options;
    this.#pool = new Pool({
      Client: this.#clientClass(),
      max: options.poolSize,
      connectionTimeoutMillis: options.connectTimeoutMs,
      verify: (client, done) => void this.#verify(client).then(() => done(), done),
    });
    // A connection that is lost while it is unused is replaced when one is needed.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Opens the database and migrates it to the current version. When it is unreachable, the service starts without it and keeps trying.
   *
   * @throws {SvcError} `state_unavailable`: the database is reachable, but this program must not use it.
   */
  static async open(options: PostgresOptions): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(options);
    try {
      await database.#migrate();
    } catch (error) {
      if (isRefusal(error)) {
        await database.close();
        throw error;
      }
    }
    return database;
  }

  /**
   * Runs one statement.
   *
   * @throws {SvcError} `state_unavailable`.
   */
  async query(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#use(async (client) => (await client.query(sql, values.map(storable))).rows as Row[]);
  }

  /**
   * Runs `work` in a transaction: when this resolves, all of it is stored; when this rejects, none of it happened, unless the connection was lost during the
   * commit.
   *
   * @throws {SvcError} `state_unavailable`; whatever `work` throws.
   */
  async transaction<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#use((client) => this.#transact(client, work));
      } catch (error) {
        if (attempt === ATTEMPTS || !canBeRepeated((error as Error).cause)) throw error;
      }
    }
  }

  /** Resolves when the database is writable. */
  async check(): Promise<void> {
    await this.query(
      `INSERT INTO svc.used (id, expires_at) VALUES ('ready', 0) ON CONFLICT (id) DO UPDATE SET expires_at = 0`,
    );
  }

  /** Opens a connection outside the pool. The caller ends it. */
  async connect(): Promise<Client> {
    const client = new (this.#clientClass(LISTENING))();
    await client.connect();
    return client;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    await this.#migrate();
    return this.#withClient(work);
  }

  /** Runs once, and again after a failure. */
  #migrate(): Promise<void> {
    this.#migrated ??= this.#withClient((client) => this.#transact(client, migratePostgres)).catch((error: unknown) => {
      this.#migrated = undefined;
      throw error;
    });
    return this.#migrated;
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    let client: PoolClient | undefined;
    const server = this.#server;
    try {
      client = await this.#acquire();
      const result = await work(client);
      client.release();
      this.#isDown = false;
      return result;
    } catch (error) {
      // After an error answer of the database, the connection is still usable. Any other fault may have left it in an unknown state.
      client?.release(!(error instanceof SvcError));
      if (client !== undefined && isElsewhere(error)) this.#leave(server);
      this.#sayDown(error);
      throw stateUnavailable(error);
    }
  }

  async #transact<T>(client: PoolClient, work: (ask: Ask) => Promise<T>): Promise<T> {
    // An instance that stands still or is cut off would keep its locks for hours, and every sign-in and sign-out on the others would fail.
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${this.#options.statementTimeoutMs}`);
    try {
      const result = await work(
        async (sql, values = []) =>
          (values.length === 0 ? await client.query(sql) : await client.query(sql, values.map(storable))).rows as Row[],
      );
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // Any other error drops the connection, which ends the transaction.
      if (error instanceof SvcError) await client.query('ROLLBACK');
      throw error;
    }
  }

  /** Tries each server once. */
  async #acquire(): Promise<PoolClient> {
    for (let left = this.#options.servers.length; ; left--) {
      const server = this.#server;
      try {
        return await this.#pool.connect();
      } catch (error) {
        this.#leave(server);
        if (left <= 1) throw error;
      }
    }
  }

  /** Switches to the next server, unless another caller has already switched. */
  #leave(server: number): void {
    if (this.#server === server) this.#server += 1;
  }

  /** With several servers, refuses one that is not the primary. */
  async #verify(client: PoolClient): Promise<void> {
    if (this.#options.servers.length === 1) return;
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby');
    if ((rows as Row[])[0]?.['standby'] === true)
      throw Object.assign(new Error('this server is a standby'), { code: '25006' });
  }

  #sayDown(error: unknown): void {
    if (error instanceof SvcError || isOfStatement(error)) return;
    if (!this.#isDown) this.#options.warn(postgresFault(this.#place(), error));
    this.#isDown = true;
  }

  #place(): string {
    return this.#options.servers.map(({ host, port }) => `${host}:${port}`).join(',');
  }

  /** Makes a client class for the current server. */
  #clientClass(name = PROGRAM): new () => Client {
    const current = () => this.#options.servers[this.#server % this.#options.servers.length]!;
    const { user, password, passwordFile, database, tls, connectTimeoutMs, statementTimeoutMs } = this.#options;
    return class extends Client {
      constructor() {
        super({
          ...current(),
          stream: () => new ServerSocket(),
          user,
          database,
          password:
            passwordFile === undefined
              ? password
              : async () => (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, ''),
          ssl: tls === undefined ? false : { ...tls, ca: tls.ca === undefined ? undefined : [...tls.ca] },
          application_name: name,
          connectionTimeoutMillis: connectTimeoutMs,
          statement_timeout: statementTimeoutMs,
          query_timeout: statementTimeoutMs + SILENCE_MS,
          keepAlive: true,
          types: { getTypeParser: (id, format) => (id === INT8 ? Number : types.getTypeParser(id, format)) as never },
        });
        // A lost connection fails the query that is running on it. Without a query, nobody needs the error.
        this.on('error', () => undefined);
      }
    };
  }
}

/** Replaces U+0000, which PostgreSQL cannot store in a text. No name contains it here; an id that a client invented then finds nothing. */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function isRefusal(error: unknown): boolean {
  return error instanceof SvcError && error.cause === undefined;
}
