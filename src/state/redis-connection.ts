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

/** The maximum time of one Redis command. */
const DEADLINE_MS = 2_000;
/**
 * How long a change waits for a replica, and for how long after a miss no replica is waited for. Other commands on the connection are blocked during the wait.
 */
const REPLICATION_MS = 200;
const REPLICA_MISSING_MS = 10_000;
/** Errors of a server that is not, or not yet, the right one to ask. */
const ELSEWHERE = /\b(?:READONLY|MOVED|ASK|CLUSTERDOWN|LOADING|MASTERDOWN|EXECABORT|UNBLOCKED|REPLACED)\b/;
const OPEN_WAIT_MS = 2_000;
const OPEN_LOOK_MS = 20;

/**
 * The Redis that all instances of the service share, with one connection for commands and one for messages.
 *
 * A command fails at once when Redis is gone, and after {@link DEADLINE_MS} when Redis does not answer. The connections are restored within a second after
 * Redis is back.
 */
export class RedisConnection {
  readonly #questions: RedisLink;
  readonly #messages: RedisLink;
  readonly #channels = new Map<string, (message: string) => void>();
  readonly #gapListeners: (() => void)[] = [];

  /** The prefix of the names of all keys and channels. */
  readonly prefix: string;
  readonly #isReplicated: boolean;
  #replicaMissingUntil = 0;

  private constructor({ warn, ...server }: RedisConnectionOptions) {
    this.prefix = prefixIn(server);
    this.#isReplicated = server.sentinel !== undefined || server.cluster === true;
    const onUp = () => {
      for (const listener of this.#gapListeners) listener();
    };
    this.#questions = new RedisLink({
      ...server,
      onDown: (fault) => warn(redisFault(hostsOf(server.url), fault)),
      onUp,
    });
    this.#messages = new RedisLink({
      ...server,
      prepare: async (client) => {
        for (const [channel, listener] of this.#channels) await client.subscribe(channel, listener);
      },
      onUp,
    });
  }

  /** Waits up to two seconds for Redis. When it is not reachable by then, the service starts without it and keeps trying. */
  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    const end = performance.now() + OPEN_WAIT_MS;
    while (!connection.#isUp() && performance.now() < end) await wait(OPEN_LOOK_MS);
    if (connection.#isUp())
      await connection.check().catch((error: unknown) => options.warn(redisFault(hostsOf(options.url), error)));
    return connection;
  }

  /**
   * Runs a Redis command.
   *
   * @throws {SvcError} `session_store_unavailable`.
   */
  async run<T>(question: (client: RedisClient) => Promise<T>): Promise<T> {
    let client: RedisClient | undefined;
    try {
      client = this.#questions.client;
      return await withDeadline(
        question(client),
        DEADLINE_MS,
        () => new Error(`Redis gave no answer within ${DEADLINE_MS} ms`),
      );
    } catch (error) {
      if (client !== undefined && ELSEWHERE.test(String(error))) this.#questions.drop(client, error);
      throw unavailable(error);
    }
  }

  /**
   * Resolves when earlier changes are also on a replica, so that they survive a failover. Without an answer of a replica, it resolves as well, unless a failover may be the reason.
   *
   * @throws {SvcError} `session_store_unavailable`.
   */
  async replicated(): Promise<void> {
    if (!this.#isReplicated || performance.now() < this.#replicaMissingUntil) return;
    await this.run(async (client) => {
      if ((await client.wait(1, REPLICATION_MS)) > 0) return;
      // The replica may be missing because it is becoming the primary.
      await this.#questions.checkLasting(client);
      this.#replicaMissingUntil = performance.now() + REPLICA_MISSING_MS;
    });
  }

  /** Subscribes to a channel, on this connection and on later ones. */
  subscribe(channel: string, listener: (message: string) => void): void {
    this.#channels.set(channel, listener);
    if (!this.#messages.isUp) return;
    // When this fails the connection is lost, and the next one subscribes to every channel.
    this.#messages.client.subscribe(channel, listener).catch(() => undefined);
  }

  /** Calls `listener` each time that a connection is made, because earlier messages may have been missed, and the server before may have lacked changes. */
  onGap(listener: () => void): void {
    this.#gapListeners.push(listener);
  }

  /** Resolves when Redis stores values and messages are received. A ping is not enough, because a Sentinel and a node of a Cluster answer it too. */
  async check(): Promise<void> {
    const value = randomUUID();
    const key = this.prefix + READY_KEY;
    const kept = await this.run(async (client) => {
      await client.set(key, value, { expiration: { type: 'PX', value: READY_LIFETIME_MS } });
      // Reads two keys at once, because a node of a Cluster may have one of them but refuses both together.
      return await client.mGet([key, `${key}other`]);
    });
    // Another instance may write between the two commands.
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
  return new SvcError('session_store_unavailable', {
    detail: 'Redis gave no answer; try again in a moment',
    retryAfterSeconds: 2,
    cause,
  });
}
