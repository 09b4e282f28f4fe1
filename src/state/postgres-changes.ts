import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { withDeadline } from '../bounds/deadline.ts';
import type { Ask, Row } from './postgres-ask.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { isFull } from './postgres-fault.ts';

export type ChangeKind = 'session' | 'key';

export type ChangeListener = {
  /** Called when another instance has removed the session, or removed or changed the key, with this public id. */
  readonly changed: (id: string) => void;
  /** Called when changes may have been missed. */
  readonly missed: () => void;
};

/** These limits make sure that what ends on one instance ends on all within a second. */
const LOOK_MS = 300;
const ANSWER_MS = 400;
const TRUSTED_MS = 900;
const LISTEN_AGAIN_MS = 200;
/** Longer than any instance trusts what it has in memory, from the look that its row tells of. */
const NOTICED_MS = 1000;
const [FIRST_ASK_MS, LAST_ASK_MS] = [2, 50];
/** How many changes are kept. An instance that was disconnected for longer looks up everything again. */
const KEPT = 10_000;
const CHANNEL = 'svc_changes';
const TELL_SEEN =
  'INSERT INTO svc.instances (id, seen, at) VALUES ($1, $2, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET seen = $2, at = clock_timestamp()';

/**
 * Reports the sessions and keys that ended or changed on other instances, and tells when they have noticed those of this one.
 *
 * Changes are numbered in the order of their commits. A notification says that there are new changes, and the numbers tell which. They are also polled about
 * three times a second, so that a lost notification only costs that time. What an instance keeps in memory is valid only while {@link areKnown} is true. Each instance
 * has a row with the last change that it has noticed, and the time of its last look.
 */
export class PostgresChanges {
  readonly #database: PostgresDatabase;
  readonly #source = randomUUID();
  readonly #listeners = new Map<ChangeKind, ChangeListener[]>();
  /** Further channels, by name. */
  readonly #channels = new Map<string, (message: string) => void>();
  readonly #closing = new AbortController();
  readonly #running: Promise<unknown>;
  #notified = Promise.withResolvers<undefined>();
  #listening: Client | undefined;
  #seen: number | undefined;
  #server: unknown;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Since when this instance has its row. A server that took the place of another, or was restarted after a crash, begins without the rows of the others. */
  #rowSince = Infinity;
  #turn = 0;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#running = Promise.all([this.#lookAgainAndAgain(), this.#listen()]);
  }

  /** Whether all changes are known up to a short time ago. */
  get areKnown(): boolean {
    return performance.now() - this.#lookedAt < TRUSTED_MS;
  }

  /** A number that is different after each change. A value that was read before a change must not be kept after it. */
  get turn(): number {
    return this.#turn;
  }

  on(kind: ChangeKind, listener: ChangeListener): void {
    this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), listener]);
  }

  /** Calls `listener` with the notifications of another channel. They may get lost. */
  hear(channel: string, listener: (message: string) => void): void {
    this.#channels.set(channel, listener);
    // When this fails the connection is lost, and the next one listens to every channel.
    this.#listening?.query(`LISTEN ${channel}`).catch(() => undefined);
  }

  /**
   * Announces changes to the other instances when the transaction of `ask` is committed. Call it as the last statement of the transaction, because it makes the
   * changes of other transactions wait.
   */
  async note(ask: Ask, kind: ChangeKind, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await ask('SAVEPOINT noting');
    const noting = ask(
      `WITH next AS (UPDATE svc.latest_change SET seq = seq + cardinality($3::text[]) RETURNING seq),
         added AS (INSERT INTO svc.changes (seq, source, kind, id)
           SELECT next.seq - cardinality($3::text[]) + place, $1, $2, id FROM next, unnest($3::text[]) WITH ORDINALITY AS changed (id, place)),
         old AS (DELETE FROM svc.changes WHERE seq <= (SELECT seq FROM next) - ${KEPT})
       SELECT pg_notify('${CHANNEL}', '')`,
      [this.#source, kind, ids],
    );
    await noting.catch(async (error: unknown) => {
      if (!isFull(error)) throw error;
      // Rows that find no room leave a gap in the numbers, for which every instance looks everything up again. The number itself has room in its page.
      await ask('ROLLBACK TO noting');
      await ask(`WITH next AS (UPDATE svc.latest_change SET seq = seq + 1) SELECT pg_notify('${CHANNEL}', '')`);
    });
  }

  /** Call this after a change that this instance made itself. */
  passOn(): void {
    this.#turn += 1;
  }

  /**
   * Waits until no other instance trusts what it kept before the changes that are announced by now: each has noticed them, or has not looked for so long that it
   * trusts nothing. That takes some milliseconds, and a second when an instance is lost.
   */
  async noticed(): Promise<void> {
    const until = performance.now() + NOTICED_MS;
    const [row] = await this.#database.query('SELECT seq FROM svc.latest_change').catch(() => []);
    for (let pause = FIRST_ASK_MS; performance.now() < until; pause = Math.min(2 * pause, LAST_ASK_MS)) {
      const hasRows = performance.now() - this.#rowSince > NOTICED_MS;
      if (row !== undefined && hasRows && (await this.#isNoticed(row['seq']).catch(() => false))) return;
      await wait(pause);
    }
  }

  async #isNoticed(seq: unknown): Promise<boolean> {
    const [behind] = await this.#database.query(
      `SELECT FROM svc.instances WHERE id <> $1 AND seen < $2 AND at > clock_timestamp() - interval '${NOTICED_MS} ms' LIMIT 1`,
      [this.#source, seq],
    );
    return behind === undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#notified.resolve(undefined);
    await this.#listening?.end().catch(() => undefined);
    await this.#running;
  }

  async #lookAgainAndAgain(): Promise<void> {
    while (!this.#isClosing()) {
      this.#notified = Promise.withResolvers<undefined>();
      await this.#look().catch(() => undefined);
      await Promise.race([this.#notified.promise, this.#pause(LOOK_MS)]);
    }
  }

  async #look(): Promise<void> {
    const began = performance.now();
    const rows = await this.#read(
      `WITH own AS (${TELL_SEEN} RETURNING xmax = '0'::xid AS is_new), old AS (DELETE FROM svc.instances WHERE id <> $1 AND at < clock_timestamp() - interval '1 day')
       SELECT latest.seq AS latest, pg_postmaster_start_time()::text AS server, (SELECT is_new FROM own), changes.seq, source, kind, changes.id
       FROM svc.latest_change AS latest LEFT JOIN svc.changes ON changes.seq > $3 ORDER BY changes.seq`,
      [this.#source, this.#seen ?? 0, this.#seen ?? Number.MAX_SAFE_INTEGER],
    );
    const { latest, server, is_new: isNew } = rows[0]!;
    if (isNew === true) this.#rowSince = performance.now();
    const changes = rows.filter(({ seq }) => seq !== null);
    const seen = this.#seen ?? Number(latest);
    // A server that was restarted may have lost commits, or may be a different server.
    const isWhole =
      (this.#server ?? server) === server &&
      Number(latest) === seen + changes.length &&
      (changes.length === 0 || Number(changes[0]!['seq']) === seen + 1);
    if (isWhole) for (const change of changes) this.#tell(change);
    else this.#tellMissed();
    const hasNoticed = this.#seen !== Number(latest);
    this.#seen = Number(latest);
    this.#server = server;
    this.#lookedAt = began;
    if (hasNoticed) await this.#read(TELL_SEEN, [this.#source, this.#seen]);
  }

  /** Queries on the listening connection, so that it waits for no request. If that fails, another connection is used. */
  async #read(sql: string, values: readonly unknown[]): Promise<Row[]> {
    const client = this.#listening;
    if (client === undefined) return this.#database.query(sql, values);
    try {
      return (await withDeadline(client.query(sql, [...values]), ANSWER_MS, () => new Error('no answer')))
        .rows as Row[];
    } catch {
      this.#listening = undefined;
      void client.end().catch(() => undefined);
      return this.#database.query(sql, values);
    }
  }

  async #listen(): Promise<void> {
    while (!this.#isClosing()) {
      const client = await this.#database.connect().catch(() => undefined);
      // Without this connection, changes are still polled.
      if (client !== undefined) await this.#listenTo(client).catch(() => undefined);
      this.#listening = undefined;
      await this.#pause(LISTEN_AGAIN_MS);
    }
  }

  /** Resolves when the connection ends. */
  async #listenTo(client: Client): Promise<void> {
    const ended = once(client, 'end');
    ended.catch(() => undefined);
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === CHANNEL) this.#notified.resolve(undefined);
      else this.#channels.get(channel)?.(payload);
    });
    try {
      for (const channel of [CHANNEL, ...this.#channels.keys()]) await client.query(`LISTEN ${channel}`);
      this.#listening = client;
      if (!this.#isClosing()) await ended;
    } finally {
      await client.end();
    }
  }

  #tell({ source, kind, id }: Row): void {
    if (source === this.#source) return;
    this.#turn += 1;
    for (const { changed } of this.#listeners.get(kind as ChangeKind) ?? []) changed(String(id));
  }

  #tellMissed(): void {
    this.#turn += 1;
    for (const listeners of this.#listeners.values()) for (const { missed } of listeners) missed();
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  #pause(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }
}
