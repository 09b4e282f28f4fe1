import { readFile } from 'node:fs/promises';
import { Client, Pool, types, type PoolClient } from 'pg';
import { SvcError } from '../errors/svc-error.ts';
import { canBeRepeated, isElsewhere, isOfStatement, postgresFault, stateUnavailable } from './postgres-fault.ts';
import type { Ask, Row } from './postgres-ask.ts';
import { migratePostgres } from './postgres-migrate.ts';

export type PostgresOptions = {
  /** In the order in which they are tried. The one that takes changes is used. */
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  readonly password: string | undefined;
  /** File with the password, in place of `password`. It is read for each connection, so that a password can be changed while the service runs. */
  readonly passwordFile: string | undefined;
  readonly database: string;
  /** PEM; undefined for a connection without TLS. `ca` is every certificate to trust; those of Node when left out. */
  readonly tls: { readonly ca: readonly string[] | undefined; readonly cert: string | undefined; readonly key: string | undefined } | undefined;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Called with the reason when the database becomes unusable. */
  readonly warn: (message: string) => void;
};

const PROGRAM = 'svc';
const INT8 = types.builtins.INT8;
/** The server ends a statement that takes too long. A server that says nothing is given up so much later. */
const SILENCE_MS = 500;
const ATTEMPTS = 5;

/**
 * The state database on PostgreSQL, for any number of instances.
 *
 * A question fails when no connection is there within `connectTimeoutMs`, or no answer within `statementTimeoutMs`; the connection is given up then.
 * Where several servers are named, the next connection goes to the one that takes changes.
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
    // A connection that is lost while nobody uses it is made again when somebody does.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Opens the database and brings it to the present version. When it is not there, the service starts without it and goes on trying.
   *
   * @throws {SvcError} `state_unavailable`: the database is there, and this program must not use it.
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
   * Runs `work` in a transaction: all of it is stored when this resolves, nothing of it happened when this rejects, unless the connection was lost at the very end.
   *
   * @throws {SvcError} `state_unavailable`; whatever `work` throws.
   */
  async transaction<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#use((client) => inTransaction(client, work));
      } catch (error) {
        if (attempt === ATTEMPTS || !canBeRepeated((error as Error).cause)) throw error;
      }
    }
  }

  /** Resolves when the database can be written to. */
  async check(): Promise<void> {
    await this.query(`INSERT INTO svc.used (id, expires_at) VALUES ('ready', 0) ON CONFLICT (id) DO UPDATE SET expires_at = 0`);
  }

  /** A connection of its own, that is not in the pool. The caller ends it. */
  async connect(): Promise<Client> {
    const client = new (this.#clientClass(`${PROGRAM} listening`))();
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

  /** Runs once; again after it failed. */
  #migrate(): Promise<void> {
    this.#migrated ??= this.#withClient((client) => inTransaction(client, migratePostgres)).catch((error: unknown) => {
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
      // What the database refused leaves the connection as it was. Any other fault may have left something on it.
      client?.release(!(error instanceof SvcError));
      if (client !== undefined && isElsewhere(error)) this.#leave(server);
      this.#sayDown(error);
      throw stateUnavailable(error);
    }
  }

  /** Of several servers, each is tried once. */
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

  /** The next connection goes to the next server, unless somebody else has seen to that. */
  #leave(server: number): void {
    if (this.#server === server) this.#server += 1;
  }

  /** With several servers, one that is no primary is passed over. */
  async #verify(client: PoolClient): Promise<void> {
    if (this.#options.servers.length === 1) return;
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby');
    if ((rows as Row[])[0]?.['standby'] === true) throw Object.assign(new Error('this server is a standby'), { code: '25006' });
  }

  #sayDown(error: unknown): void {
    if (error instanceof SvcError || isOfStatement(error)) return;
    if (!this.#isDown) this.#options.warn(postgresFault(this.#place(), error));
    this.#isDown = true;
  }

  #place(): string {
    return this.#options.servers.map(({ host, port }) => `${host}:${port}`).join(',');
  }

  /** A client of the server that is tried at the time. */
  #clientClass(name = PROGRAM): new () => Client {
    const current = () => this.#options.servers[this.#server % this.#options.servers.length]!;
    const { user, password, passwordFile, database, tls, connectTimeoutMs, statementTimeoutMs } = this.#options;
    return class extends Client {
      constructor() {
        super({
          ...current(),
          user,
          database,
          password: passwordFile === undefined ? password : async () => (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, ''),
          ssl: tls === undefined ? false : { ...tls, ca: tls.ca === undefined ? undefined : [...tls.ca] },
          application_name: name,
          connectionTimeoutMillis: connectTimeoutMs,
          statement_timeout: statementTimeoutMs,
          query_timeout: statementTimeoutMs + SILENCE_MS,
          keepAlive: true,
          types: { getTypeParser: (id, format) => (id === INT8 ? Number : types.getTypeParser(id, format)) as never },
        });
        // A connection that is lost fails the question that is asked on it. Where none is, nobody has to know.
        this.on('error', () => undefined);
      }
    };
  }
}

/** PostgreSQL keeps no U+0000 in a text. Nothing that names somebody or something has one here; an id that a client made up then finds nothing. */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

async function inTransaction<T>(client: PoolClient, work: (ask: Ask) => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work(async (sql, values = []) => (values.length === 0 ? await client.query(sql) : await client.query(sql, values.map(storable))).rows as Row[]);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // Any other error gives the connection up, which ends the transaction.
    if (error instanceof SvcError) await client.query('ROLLBACK');
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof SvcError && error.cause === undefined;
}
