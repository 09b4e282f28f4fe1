import type { RecentTexts } from './recent-texts.ts';
import type { RedisConnection } from './redis-connection.ts';

/** `<list>` -> list of its texts, the latest first. */
const LIST = 'recent:';

/** Lists that all instances on the same Redis share. */
export class RedisRecentTexts implements RecentTexts {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async add(list: string, text: string, keep: number): Promise<void> {
    const key = this.#keyOf(list);
    await this.#connection.run((client) =>
      client
        .multi()
        .lPush(key, text)
        .lTrim(key, 0, keep - 1)
        .exec(),
    );
  }

  async read(list: string): Promise<string[]> {
    return this.#connection.run((client) => client.lRange(this.#keyOf(list), 0, -1));
  }

  #keyOf(list: string): string {
    return this.#connection.prefix + LIST + list;
  }
}
