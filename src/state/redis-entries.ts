import type { EntryOwner, ExpiringEntries } from './expiring-entries.ts';
import type { RedisConnection } from './redis-connection.ts';

const VALUE = 'entry:';
/** `<owner>` -> sorted set of the ids of their entries by expiry, which is also the order of age. */
const OWNED = 'entries-of:';
const USED = 'used:';
/** A sorted set of two scores, {@link NUMBER} and {@link END}, because Redis raises a score in one step. */
const RAISED = 'raised:';
const NUMBER = 'number';
const END = 'end';

/** Expiring entries that all instances on the same Redis share. Redis removes them when they expire. Their total number is not limited. */
export class RedisEntries implements ExpiringEntries {
  readonly #connection: RedisConnection;
  readonly #now: () => number;
  readonly #value: string;
  readonly #owned: string;
  readonly #used: string;
  readonly #raised: string;

  constructor(options: { readonly connection: RedisConnection; readonly now: () => number }) {
    this.#connection = options.connection;
    this.#now = options.now;
    const { prefix } = options.connection;
    this.#value = prefix + VALUE;
    this.#owned = prefix + OWNED;
    this.#used = prefix + USED;
    this.#raised = prefix + RAISED;
  }

  async put(id: string, value: string, expiresAt: number, owner?: EntryOwner): Promise<void> {
    const expiration = { type: 'PX', value: this.#lifetime(expiresAt) } as const;
    await this.#connection.run((client) =>
      client.set(this.#value + id, `${expiresAt} ${owner?.id ?? ''} ${value}`, { expiration }),
    );
    if (owner !== undefined) await this.#makeRoomAmong(owner, id, expiresAt);
    await this.#connection.replicated();
  }

  async get(id: string): Promise<string | undefined> {
    return this.#valueOf(await this.#connection.run((client) => client.get(this.#value + id)));
  }

  async take(id: string): Promise<string | undefined> {
    const [found] = await this.#connection.run((client) =>
      client
        .multi()
        .get(this.#value + id)
        .del(this.#value + id)
        .execTyped(),
    );
    const owner = found === null ? '' : readStored(found).owner;
    if (owner !== '') await this.#connection.run((client) => client.zRem(this.#owned + owner, id));
    if (found !== null) await this.#connection.replicated();
    return this.#valueOf(found);
  }

  async consume(id: string, expiresAt: number): Promise<'first' | 'replayed'> {
    const expiration = { type: 'PX', value: this.#lifetime(expiresAt) } as const;
    if (
      (await this.#connection.run((client) => client.set(this.#used + id, '', { condition: 'NX', expiration }))) ===
      null
    )
      return 'replayed';
    await this.#connection.replicated();
    return 'first';
  }

  async remove(id: string): Promise<void> {
    await this.take(id);
  }

  async raise(id: string, number: number, expiresAt: number): Promise<void> {
    const scores = [
      { value: NUMBER, score: number },
      { value: END, score: expiresAt },
    ];
    await this.#connection.run((client) =>
      client
        .multi()
        .zAdd(this.#raised + id, scores, { comparison: 'GT' })
        .pExpire(this.#raised + id, this.#lifetime(expiresAt))
        .exec(),
    );
    await this.#connection.replicated();
  }

  async largest(id: string): Promise<number | undefined> {
    const [number, end] = await this.#connection.run((client) => client.zmScore(this.#raised + id, [NUMBER, END]));
    return typeof number === 'number' && Number(end) > this.#now() ? number : undefined;
  }

  /** Runs after the new entry was added, so that of several instances that add entries at once, each sees the others or is seen by them. */
  async #makeRoomAmong({ id: owner, limit }: EntryOwner, id: string, expiresAt: number): Promise<void> {
    const set = this.#owned + owner;
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
    await this.#connection.run((client) =>
      client
        .multi()
        .zRem(set, tooMany)
        .del(tooMany.map((old) => this.#value + old))
        .exec(),
    );
  }

  #lifetime(expiresAt: number): number {
    return Math.max(1, Math.ceil(expiresAt - this.#now()));
  }

  /** Redis expires entries by its own clock, but the service's clock decides. */
  #valueOf(stored: string | null): string | undefined {
    if (stored === null) return undefined;
    const { expiresAt, value } = readStored(stored);
    return expiresAt > this.#now() ? value : undefined;
  }
}

/** Parses a stored entry: its expiry, its owner or nothing, and its value. */
function readStored(stored: string): { readonly expiresAt: number; readonly owner: string; readonly value: string } {
  const first = stored.indexOf(' ');
  const second = stored.indexOf(' ', first + 1);
  return {
    expiresAt: Number(stored.slice(0, first)),
    owner: stored.slice(first + 1, second),
    value: stored.slice(second + 1),
  };
}
