import { setTimeout as wait } from 'node:timers/promises';
import { withDeadline } from '../bounds/deadline.ts';
import { RedisServers, type RedisClient, type RedisServerOptions } from './redis-servers.ts';

const CONNECT_MS = 2_000;
const HEARTBEAT_MS = 1_000;
const HEARTBEAT_DEADLINE_MS = 2_000;
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 500;

export type RedisLinkOptions = RedisServerOptions & {
  /** Runs on each new connection before it is used. */
  readonly prepare?: (client: RedisClient) => Promise<void>;
  /** Runs when a connection is lost or the first one fails, but not for further failed attempts. */
  readonly onDown?: (fault: unknown) => void;
  /** Runs each time that the connection works. */
  readonly onUp?: () => void;
};

/**
 * A connection to Redis that is restored whenever it is lost, Redis does not answer a heartbeat, or the Sentinels name another server.
 *
 * The client's own reconnection and offline queue are off. They would let requests wait for a Redis that is gone, and would not notice a Redis that hangs.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #servers: RedisServers;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** The client that is connecting or in use. */
  #latest: RedisClient | undefined;
  #client: RedisClient | undefined;
  #fault: unknown;
  #lose: (fault: unknown) => void = () => undefined;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#servers = new RedisServers(options);
    this.#running = this.#run();
  }

  /**
   * The connected client.
   *
   * @throws the reason why the last attempt to connect failed.
   */
  get client(): RedisClient {
    if (this.#client === undefined) throw new Error('there is no connection to Redis', { cause: this.#fault });
    return this.#client;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Rejects when the client's server has been replaced, or may be about to be. */
  async checkLasting(client: RedisClient): Promise<void> {
    await this.#servers.checkLasting();
    if (client !== this.#client) throw new Error('the connection was lost meanwhile');
  }

  /** Drops the connection, because another server may be the right one by now. */
  drop(client: RedisClient, fault: unknown): void {
    if (client === this.#client) this.#lose(fault);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#latest?.destroy();
    await this.#running;
  }

  async #run(): Promise<void> {
    const isClosing = () => this.#closing.signal.aborted;
    for (let failures = 0; !isClosing(); failures++) {
      try {
        this.#latest = await this.#servers.client();
        if (!isClosing()) await this.#hold(this.#latest, () => (failures = 0));
      } catch (error) {
        this.#fault = error;
        if (failures === 0 && !isClosing()) this.#options.onDown?.(error);
      }
      this.#client = undefined;
      this.#latest?.destroy();
      this.#latest = undefined;
      await this.#pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LAST_PAUSE_MS)).catch(() => undefined);
    }
  }

  /** Connects, and rejects when the connection is lost. */
  async #hold(client: RedisClient, onUp: () => void): Promise<void> {
    const { promise: lost, reject } = Promise.withResolvers<never>();
    this.#lose = reject;
    client.on('error', reject);
    client.once('end', () => reject(new Error('the connection was closed')));
    await Promise.race([
      lost,
      withDeadline(this.#connect(client), CONNECT_MS, () => new Error(`Redis did not greet within ${CONNECT_MS} ms`)),
    ]);
    this.#client = client;
    onUp();
    this.#options.onUp?.();
    await Promise.race([lost, this.#listenForHeartbeat(client)]);
  }

  async #connect(client: RedisClient): Promise<void> {
    await client.connect();
    await this.#servers.check(client);
    await this.#options.prepare?.(client);
  }

  async #listenForHeartbeat(client: RedisClient): Promise<never> {
    for (;;) {
      await this.#pause(HEARTBEAT_MS);
      const beat = withDeadline(
        client.ping(),
        HEARTBEAT_DEADLINE_MS,
        () => new Error(`Redis gave no sign of life for ${HEARTBEAT_DEADLINE_MS} ms`),
      );
      await Promise.all([beat, this.#servers.checkNamed()]);
    }
  }

  #pause(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#closing.signal });
  }
}
