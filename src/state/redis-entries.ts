import type { EntryOwner, ExpiringEntries } from './expiring-entries.ts';
import type { RedisConnection } from './redis-connection.ts';

const VALUE = 'svc:entry:';
/** `<owner>` -> sorted set of the ids of their entries by expiry, which is by age. */
const OWNED = 'svc:entries-of:';
const USED = 'svc:used:';

/** Expiring entries that all instances on the same Redis share. Redis removes them when they expire; the service sets no limit. */
export class RedisEntries implements ExpiringEntries {
  readonly #connection: RedisConnection;
  readonly #now: () => number;

  constructor(options: { readonly connection: RedisConnection; readonly now: () => number }) {
    this.#connection = options.connection;
    this.#now = options.now;
  }

  async put(id: string, value: string, expiresAt: number, owner?: EntryOwner): Promise<void> {
    const expiration = { type: 'PX', value: this.#lifetime(expiresAt) } as const;
    await this.#connection.run((client) => client.set(VALUE + id, `${expiresAt} ${owner?.id ?? ''} ${value}`, { expiration }));
    if (owner !== undefined) await this.#makeRoomAmong(owner, id, expiresAt);
  }

  async get(id: string): Promise<string | undefined> {
    return this.#valueOf(await this.#connection.run((client) => client.get(VALUE + id)));
  }

  async take(id: string): Promise<string | undefined> {
    const [found] = await this.#connection.run((client) => client.multi().get(VALUE + id).del(VALUE + id).execTyped());
    const owner = found === null ? '' : readStored(found).owner;
    if (owner !== '') await this.#connection.run((client) => client.zRem(OWNED + owner, id));
    return this.#valueOf(found);
  }

  async consume(id: string, expiresAt: number): Promise<'first' | 'replayed'> {
    const expiration = { type: 'PX', value: this.#lifetime(expiresAt) } as const;
    return (await this.#connection.run((client) => client.set(USED + id, '', { condition: 'NX', expiration }))) === null ? 'replayed' : 'first';
  }

  async remove(id: string): Promise<void> {
    await this.take(id);
  }

  /** Runs after the new entry was added, so that of several instances that add entries at once, each sees the others or is seen by them. */
  async #makeRoomAmong({ id: owner, limit }: EntryOwner, id: string, expiresAt: number): Promise<void> {
    const set = OWNED + owner;
    const [, , , tooMany] = await this.#connection.run((client) =>
      client
        .multi()
        .zAdd(set, { score: expiresAt, value: id })
        .zRemRangeByScore(set, '-inf', this.#now())
        .pExpire(set, this.#lifetime(expiresAt))
        .zRange(set, 0, -(limit + 1))
        .execTyped(),
    );
    if (tooMany.length === 0) return;
    await this.#connection.run((client) => client.multi().zRem(set, tooMany).del(tooMany.map((old) => VALUE + old)).exec());
  }

  #lifetime(expiresAt: number): number {
    return Math.max(1, Math.ceil(expiresAt - this.#now()));
  }

  /** The lifetime in Redis. Redis expires by its own clock, but the service's clock decides. */
  #valueOf(stored: string | null): string | undefined {
    if (stored === null) return undefined;
    const { expiresAt, value } = readStored(stored);
    return expiresAt > this.#now() ? value : undefined;
  }
}

/** What is stored: when it expires, its owner or nothing, its value. */
function readStored(stored: string): { readonly expiresAt: number; readonly owner: string; readonly value: string } {
  const first = stored.indexOf(' ');
  const second = stored.indexOf(' ', first + 1);
  return { expiresAt: Number(stored.slice(0, first)), owner: stored.slice(first + 1, second), value: stored.slice(second + 1) };
}
