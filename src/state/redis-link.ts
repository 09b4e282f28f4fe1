import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from 'redis';
import { withDeadline } from '../bounds/deadline.ts';

const CONNECT_MS = 2_000;
const HEARTBEAT_MS = 1_000;
const HEARTBEAT_DEADLINE_MS = 2_000;
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 500;
/** How many commands may wait for an answer. Further ones are refused, so that a Redis that does not answer cannot fill the memory. */
const MAX_WAITING_COMMANDS = 10_000;

export type RedisClient = ReturnType<typeof newClient>;

export type RedisServerOptions = {
  readonly url: string;
  /** Every certificate to trust, in PEM. When left out, Node's own are trusted. */
  readonly ca?: readonly string[] | undefined;
};

export type RedisLinkOptions = RedisServerOptions & {
  /** Runs on each new connection before it is used. */
  readonly prepare?: (client: RedisClient) => Promise<void>;
  /** Runs when a connection is lost, or the first one cannot be made. It does not run for further failed attempts. */
  readonly onDown?: (fault: unknown) => void;
  /** Runs when the connection works again after it was down. */
  readonly onUp?: () => void;
};

/**
 * A connection to Redis that is made again whenever it is lost, or Redis does not answer a heartbeat.
 *
 * The client's own reconnection and offline queue are off. They would let requests wait for a Redis that is gone, and would not notice
 * a Redis that is frozen.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** The one that is being connected or in use. */
  #latest: RedisClient | undefined;
  #client: RedisClient | undefined;
  #fault: unknown;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /**
   * The client, connected.
   *
   * @throws what kept the last attempt from connecting.
   */
  get client(): RedisClient {
    if (this.#client === undefined) throw new Error('there is no connection to Redis', { cause: this.#fault });
    return this.#client;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#latest?.destroy();
    await this.#running;
  }

  async #run(): Promise<void> {
    const isClosing = () => this.#closing.signal.aborted;
    for (let failures = 0; !isClosing(); failures++) {
      const client = newClient(this.#options);
      this.#latest = client;
      try {
        await this.#hold(client, () => (failures = 0));
      } catch (error) {
        this.#fault = error;
        if (failures === 0 && !isClosing()) this.#options.onDown?.(error);
      }
      this.#client = undefined;
      client.destroy();
      await this.#pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LAST_PAUSE_MS)).catch(() => undefined);
    }
  }

  /** Connects, and rejects when the connection is lost. */
  async #hold(client: RedisClient, onUp: () => void): Promise<void> {
    const lost = new Promise<never>((_, reject) => {
      client.on('error', reject);
      client.once('end', () => reject(new Error('the connection was closed')));
    });
    await Promise.race([lost, withDeadline(this.#connect(client), CONNECT_MS, () => new Error(`Redis did not greet within ${CONNECT_MS} ms`))]);
    this.#client = client;
    onUp();
    this.#options.onUp?.();
    await Promise.race([lost, this.#listenForHeartbeat(client)]);
  }

  async #connect(client: RedisClient): Promise<void> {
    await client.connect();
    await this.#options.prepare?.(client);
  }

  async #listenForHeartbeat(client: RedisClient): Promise<never> {
    for (;;) {
      await this.#pause(HEARTBEAT_MS);
      await withDeadline(client.ping(), HEARTBEAT_DEADLINE_MS, () => new Error(`Redis gave no sign of life for ${HEARTBEAT_DEADLINE_MS} ms`));
    }
  }

  #pause(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#closing.signal });
  }
}

function newClient({ url, ca }: RedisServerOptions) {
  return createClient({
    url,
    RESP: 2,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING_COMMANDS,
    // The client's own deadline ends when a command is sent, so commands have a deadline of ours.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false, ...(ca !== undefined && { tls: true, ca: [...ca] }) },
  });
}
