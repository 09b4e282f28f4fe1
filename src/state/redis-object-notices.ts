import { randomUUID } from 'node:crypto';
import type { ObjectNotices } from './notices.ts';
import { ofOthers, writeNotice } from './object-notice.ts';
import type { RedisConnection } from './redis-connection.ts';

const CHANNEL = 'object-changed';

/** Tells all instances on the same Redis which objects changed. */
export class RedisObjectNotices implements ObjectNotices {
  readonly #connection: RedisConnection;
  readonly #instance = randomUUID();

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async tell(names: readonly string[]): Promise<void> {
    const message = writeNotice(this.#instance, names);
    await this.#connection.run((client) => client.publish(this.#channel, message));
  }

  on(listener: (names: unknown) => void): void {
    this.#connection.subscribe(this.#channel, ofOthers(this.#instance, listener));
  }

  get #channel(): string {
    return this.#connection.prefix + CHANNEL;
  }
}
