import { endOfWindow, type Count, type Counts } from './counts.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Counts in Redis, each in a key that expires. */
export class RedisCounts implements Counts {
  readonly #connection: RedisConnection;
  readonly #now: () => number;

  constructor(options: { readonly connection: RedisConnection; readonly now: () => number }) {
    this.#connection = options.connection;
    this.#now = options.now;
  }

  async add(id: string, windowMs: number): Promise<Count> {
    const resetsAt = endOfWindow(this.#now(), windowMs);
    const key = `${this.#connection.prefix}count:${id} ${resetsAt}`;
    const [count] = await this.#connection.run((client) => client.multi().incr(key).pExpire(key, windowMs).execTyped());
    return { count, resetsAt };
  }
}
