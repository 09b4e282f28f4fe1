import type { ExpiringEntries } from './expiring-entries.ts';
import type { RedisConnection } from './redis-connection.ts';

const VALUE = 'svc:entry:';
const USED = 'svc:used:';

/** Expiring entries that every instance on the same Redis shares. Redis drops them when their time has come; there is no limit of ours. */
export class RedisEntries implements ExpiringEntries {
  readonly #connection: RedisConnection;
  readonly #now: () => number;

  constructor(options: { readonly connection: RedisConnection; readonly now: () => number }) {
    this.#connection = options.connection;
    this.#now = options.now;
  }

  async put(id: string, value: string, expiresAt: number): Promise<void> {
    await this.#connection.run((client) => client.set(VALUE + id, `${expiresAt} ${value}`, { expiration: { type: 'PX', value: this.#lifetime(expiresAt) } }));
  }

  async get(id: string): Promise<string | undefined> {
    return this.#valueOf(await this.#connection.run((client) => client.get(VALUE + id)));
  }

  async take(id: string): Promise<string | undefined> {
    const [found] = await this.#connection.run((client) => client.multi().get(VALUE + id).del(VALUE + id).execTyped());
    return this.#valueOf(found);
  }

  async consume(id: string, expiresAt: number): Promise<'first' | 'replayed'> {
    const expiration = { type: 'PX', value: this.#lifetime(expiresAt) } as const;
    return (await this.#connection.run((client) => client.set(USED + id, '', { condition: 'NX', expiration }))) === null ? 'replayed' : 'first';
  }

  async remove(id: string): Promise<void> {
    await this.#connection.run((client) => client.del(VALUE + id));
  }

  #lifetime(expiresAt: number): number {
    return Math.max(1, Math.ceil(expiresAt - this.#now()));
  }

  /** Redis counts by its own clock; ours decides. */
  #valueOf(stored: string | null): string | undefined {
    if (stored === null) return undefined;
    const end = stored.indexOf(' ');
    return Number(stored.slice(0, end)) > this.#now() ? stored.slice(end + 1) : undefined;
  }
}
