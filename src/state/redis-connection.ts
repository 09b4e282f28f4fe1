import { setTimeout as wait } from 'node:timers/promises';
import { SvcError } from '../errors/svc-error.ts';
import { randomUUID } from 'node:crypto';
import { withDeadline } from '../bounds/deadline.ts';
import { redisFault } from './redis-fault.ts';
import { RedisLink } from './redis-link.ts';
import { hostsOf, prefixIn, type RedisClient, type RedisServerOptions } from './redis-servers.ts';

const READY_KEY = 'ready:';
const READY_LIFETIME_MS = 60_000;

export type RedisConnectionOptions = RedisServerOptions & {
  /** Called with the reason each time that Redis becomes unusable. */
  readonly warn: (message: string) => void;
};

/** How long one question to Redis may take. */
const DEADLINE_MS = 2_000;
/** How long a change waits for a replica, and how long none is waited for after that. Other questions on the connection wait meanwhile. */
const REPLICATION_MS = 200;
const REPLICA_MISSING_MS = 10_000;
/** What a server says that is no longer, or not yet, the one to ask. */
const ELSEWHERE = /\b(?:READONLY|MOVED|ASK|CLUSTERDOWN|LOADING|MASTERDOWN|EXECABORT|UNBLOCKED)\b/;
const OPEN_WAIT_MS = 2_000;
const OPEN_LOOK_MS = 20;

/**
 * The Redis that all instances of the service share, with one connection for commands and one for messages.
 *
 * A command fails at once when Redis is gone, and after {@link DEADLINE_MS} when Redis does not answer. When Redis is back, the connections
 * are made again within a second.
 */
export class RedisConnection {
  readonly #questions: RedisLink;
  readonly #messages: RedisLink;
  readonly #channels = new Map<string, (message: string) => void>();
  readonly #gapListeners: (() => void)[] = [];

  /** What the names of all keys and channels begin with. */
  readonly prefix: string;
  readonly #isReplicated: boolean;
  #replicaMissingUntil = 0;

  private constructor({ warn, ...server }: RedisConnectionOptions) {
    this.prefix = prefixIn(server);
    this.#isReplicated = server.sentinel !== undefined || server.cluster === true;
    this.#questions = new RedisLink({ ...server, onDown: (fault) => warn(redisFault(hostsOf(server.url), fault)) });
    this.#messages = new RedisLink({
      ...server,
      prepare: async (client) => {
        for (const [channel, listener] of this.#channels) await client.subscribe(channel, listener);
      },
      onUp: () => {
        for (const listener of this.#gapListeners) listener();
      },
    });
  }

  /** Waits up to two seconds for Redis. When it is not there by then, the service starts without it and goes on trying. */
  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    const end = performance.now() + OPEN_WAIT_MS;
    while (!connection.#isUp() && performance.now() < end) await wait(OPEN_LOOK_MS);
    if (connection.#isUp()) await connection.check().catch((error: unknown) => options.warn(redisFault(hostsOf(options.url), error)));
    return connection;
  }

  /**
   * Asks Redis something.
   *
   * @throws {SvcError} `session_store_unavailable`.
   */
  async run<T>(question: (client: RedisClient) => Promise<T>): Promise<T> {
    let client: RedisClient | undefined;
    try {
      client = this.#questions.client;
      return await withDeadline(question(client), DEADLINE_MS, () => new Error(`Redis gave no answer within ${DEADLINE_MS} ms`));
    } catch (error) {
      if (client !== undefined && ELSEWHERE.test(String(error))) this.#questions.drop(client, error);
      throw unavailable(error);
    }
  }

  /**
   * Resolves when what was changed is on a replica too, so that it outlasts a failover. Where no replica answers, the change stands as it is.
   *
   * @throws {SvcError} `session_store_unavailable`.
   */
  async replicated(): Promise<void> {
    if (!this.#isReplicated || performance.now() < this.#replicaMissingUntil) return;
    const replicas = await this.run((client) => client.wait(1, REPLICATION_MS));
    if (replicas === 0) this.#replicaMissingUntil = performance.now() + REPLICA_MISSING_MS;
  }

  /** Listens to a channel, on this connection and on those that come after it. */
  subscribe(channel: string, listener: (message: string) => void): void {
    this.#channels.set(channel, listener);
    if (!this.#messages.isUp) return;
    // When this fails the connection is lost, and the next one subscribes to every channel.
    this.#messages.client.subscribe(channel, listener).catch(() => undefined);
  }

  /** Calls back each time that listening begins (again): messages that were sent before may have been missed. */
  onGap(listener: () => void): void {
    this.#gapListeners.push(listener);
  }

  /** Resolves when Redis stores values and messages are received. A ping is not enough, because a Sentinel and a node of a Cluster answer it too. */
  async check(): Promise<void> {
    const value = randomUUID();
    const key = this.prefix + READY_KEY;
    const kept = await this.run(async (client) => {
      await client.set(key, value, { expiration: { type: 'PX', value: READY_LIFETIME_MS } });
      // Two keys at once: a node of a Cluster may hold the one, and refuses the two.
      return await client.mGet([key, `${key}other`]);
    });
    // Another instance may write between the two.
    if (kept[0] === null) throw unavailable(new Error('what was written could not be read'));
    if (!this.#messages.isUp) throw unavailable(new Error('no subscription'));
  }

  async close(): Promise<void> {
    await Promise.all([this.#questions.close(), this.#messages.close()]);
  }

  #isUp(): boolean {
    return this.#questions.isUp && this.#messages.isUp;
  }
}

function unavailable(cause: unknown): SvcError {
  return new SvcError('session_store_unavailable', { detail: 'Redis gave no answer; try again in a moment', retryAfterSeconds: 2, cause });
}
