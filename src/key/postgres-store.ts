import { LRUCache } from 'lru-cache';
import type { PostgresChanges } from '../state/postgres-changes.ts';
import type { Ask, Row } from '../state/postgres-ask.ts';
import type { PostgresDatabase } from '../state/postgres-database.ts';
import { placesFor } from '../state/places.ts';
import { allInUse, tooManyOwn } from './key-capacity.ts';
import { COLUMNS, keyOf, outlineOf, storedOf, valuesOf } from './key-row.ts';
import type { KeyLimits, KeyOutline, KeyStore, Owner, StoredKey } from './key-store.ts';
import type { KeyScope } from '../policy/model/key-scope.ts';
import type { Key, KeyKind } from './key.ts';

/** A cached key. `isCurrent`: its row has not changed since it was read. */
type Known = { readonly revision: number; readonly stored: StoredKey; isCurrent: boolean };

const CACHE_LIMIT = 10_000;
const READ_AT_ONCE = 100;
const LOCK_TALLY = 'SELECT count FROM svc.tallies WHERE name = $1 FOR UPDATE';
const OUTLINE = 'id, created_at, creator_issuer, creator_subject, creator_name';

/** The store of the keys of one kind in PostgreSQL. Keys are cached while this process receives the changes of all instances. */
export class PostgresKeyStore implements KeyStore {
  readonly #kind: KeyKind;
  readonly #table: string;
  readonly #db: PostgresDatabase;
  readonly #changes: PostgresChanges;
  readonly #known = new LRUCache<string, Known>({ max: CACHE_LIMIT });
  readonly #listeners: ((id?: string) => void)[] = [];

  constructor(
    { database, changes }: { readonly database: PostgresDatabase; readonly changes: PostgresChanges },
    kind: KeyKind,
  ) {
    this.#kind = kind;
    this.#table = `svc.${kind.table}`;
    this.#db = database;
    this.#changes = changes;
    changes.on('key', {
      changed: (id) => {
        this.#doubt(id);
        for (const listener of this.#listeners) listener(id);
      },
      missed: () => {
        // Revisions may restart when changes were lost, for example after a restore.
        this.#known.clear();
        for (const listener of this.#listeners) listener();
      },
    });
  }

  insert(stored: Pick<StoredKey, 'key' | 'verifier'>, limits: KeyLimits, now: number): Promise<void> {
    return this.#db.transaction(async (ask) => {
      await makeRoom(ask, this.#kind, stored.key.creator, limits, now);
      const { issuer, subject } = stored.key.creator;
      await ask(
        `INSERT INTO ${this.#table} (${COLUMNS.join(', ')}, revision, suspended_at) VALUES (${COLUMNS.map((_, i) => `$${i + 1}`).join(', ')}, 1,
           (SELECT suspended_at FROM svc.suspensions WHERE issuer = $${COLUMNS.length + 1} AND subject = $${COLUMNS.length + 2}))`,
        [...valuesOf(stored), issuer, subject],
      );
    });
  }

  find(id: string): StoredKey | Promise<StoredKey | undefined> {
    const known = this.#known.get(id);
    return known?.isCurrent === true && this.#changes.areKnown ? known.stored : this.#read(id, known);
  }

  async list(): Promise<Key[]> {
    return (await this.#db.query(`SELECT * FROM ${this.#table} ORDER BY created_at DESC, id`)).map(keyOf);
  }

  async outlines(): Promise<KeyOutline[]> {
    return (await this.#db.query(`SELECT ${OUTLINE} FROM ${this.#table}`)).map(outlineOf);
  }

  async read(ids: readonly string[]): Promise<Key[]> {
    const keys: Key[] = [];
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const some = ids.slice(from, from + READ_AT_ONCE);
      const found = new Map(
        (await this.#db.query(`SELECT * FROM ${this.#table} WHERE id = ANY($1)`, [some])).map((row) => [
          row['id'],
          keyOf(row),
        ]),
      );
      keys.push(...some.flatMap((id) => found.get(id) ?? []));
    }
    return keys;
  }

  replaceVerifier(id: string, verifier: Uint8Array, rotatedAt: number): Promise<Key | undefined> {
    return this.#change(
      id,
      `UPDATE ${this.#table} SET verifier = $2, rotated_at = $3, revision = revision + 1 WHERE id = $1 RETURNING *`,
      [verifier, rotatedAt],
    );
  }

  replaceScope(id: string, scope: KeyScope): Promise<Key | undefined> {
    return this.#change(id, `UPDATE ${this.#table} SET scope = $2, revision = revision + 1 WHERE id = $1 RETURNING *`, [
      JSON.stringify(scope),
    ]);
  }

  remove(id: string): Promise<Key | undefined> {
    return this.#change(id, `DELETE FROM ${this.#table} WHERE id = $1 RETURNING *`, []);
  }

  async noteSignIn({ issuer, subject }: Owner, at: number, unless: number): Promise<void> {
    await this.#changeAll(
      `UPDATE ${this.#table} SET signed_in_at = $3, revision = revision + 1
         WHERE creator_issuer = $1 AND creator_subject = $2 AND coalesce(signed_in_at, 0) < $4 RETURNING id`,
      [issuer, subject, at, unless],
    );
  }

  /** New keys wait meanwhile, because each is suspended from the start when its creator is. */
  followSuspension({ issuer, subject }: Owner): Promise<string[]> {
    const suspendedAt = '(SELECT suspended_at FROM svc.suspensions WHERE issuer = $1 AND subject = $2)';
    return this.#changeAll(
      `UPDATE ${this.#table} SET suspended_at = ${suspendedAt}, revision = revision + 1
         WHERE creator_issuer = $1 AND creator_subject = $2 AND suspended_at IS DISTINCT FROM ${suspendedAt} RETURNING id`,
      [issuer, subject],
      { locksTally: true },
    );
  }

  recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#db.transaction(async (ask) => {
      await ask(
        `UPDATE ${this.#table} SET last_used_at = greatest(last_used_at, used.at) FROM unnest($1::text[], $2::bigint[]) AS used (id, at) WHERE ${this.#kind.table}.id = used.id`,
        [[...uses.keys()], [...uses.values()]],
      );
    });
  }

  onChangedElsewhere(listener: (id?: string) => void): void {
    this.#listeners.push(listener);
  }

  async #change(id: string, sql: string, values: readonly unknown[]): Promise<Key | undefined> {
    const changing = this.#transaction(sql, [id, ...values]);
    const [row] = await changing.catch((error: unknown) => {
      // After a lost connection it is unknown whether the change was made.
      this.#doubt(id);
      for (const listener of this.#listeners) listener(id);
      throw error;
    });
    this.#doubt(id);
    if (row === undefined) return undefined;
    await this.#changes.noticed();
    return keyOf(row);
  }

  /** @returns the ids of the changed keys. */
  async #changeAll(
    sql: string,
    values: readonly unknown[],
    options?: { readonly locksTally: boolean },
  ): Promise<string[]> {
    const rows = await this.#transaction(sql, values, options).catch((error: unknown) => {
      this.#known.clear();
      this.#changes.passOn();
      for (const listener of this.#listeners) listener();
      throw error;
    });
    const ids = idsOf(rows);
    for (const id of ids) this.#doubt(id);
    if (ids.length > 0) await this.#changes.noticed();
    return ids;
  }

  /** Changes rows, and announces their ids. */
  #transaction(sql: string, values: readonly unknown[], { locksTally } = { locksTally: false }): Promise<Row[]> {
    return this.#db.transaction(async (ask) => {
      if (locksTally) await ask(LOCK_TALLY, [this.#kind.table]);
      const changed = await ask(sql, values);
      await this.#changes.note(ask, 'key', idsOf(changed));
      return changed;
    });
  }

  async #read(id: string, known: Known | undefined): Promise<StoredKey | undefined> {
    const { areKnown, turn } = this.#changes;
    const [row] = await this.#db.query(`SELECT * FROM ${this.#table} WHERE id = $1`, [id]);
    if (row === undefined) return undefined;
    const stored = known?.revision === Number(row['revision']) ? known.stored : storedOf(row);
    this.#known.set(id, {
      revision: Number(row['revision']),
      stored,
      isCurrent: areKnown && turn === this.#changes.turn,
    });
    return stored;
  }

  #doubt(id: string): void {
    this.#changes.passOn();
    const known = this.#known.get(id);
    if (known !== undefined) known.isCurrent = false;
  }
}

async function makeRoom(
  ask: Ask,
  kind: KeyKind,
  { issuer, subject }: Owner,
  { capacity, perSubject, isAdmin }: KeyLimits,
  now: number,
): Promise<void> {
  const { table } = kind;
  const own = 'creator_issuer = $1 AND creator_subject = $2';
  const drop = (whose: string, values: readonly unknown[], count: number) =>
    ask(
      `DELETE FROM svc.${table} WHERE id IN (SELECT id FROM svc.${table} WHERE ${whose} AND expires_at <= $${values.length + 1}
         ORDER BY expires_at LIMIT $${values.length + 2}) RETURNING id`,
      [...values, now, count],
    );
  const [tally] = await ask(LOCK_TALLY, [table]);
  const [counted] = await ask(`SELECT count(*) AS count FROM svc.${table} WHERE ${own}`, [issuer, subject]);
  const tooManyOfOwn = Number(counted?.['count']) + 1 - perSubject;
  const droppedOwn = tooManyOfOwn > 0 ? (await drop(own, [issuer, subject], tooManyOfOwn)).length : 0;
  if (droppedOwn < tooManyOfOwn) throw tooManyOwn(kind, perSubject);
  const tooMany = Number(tally?.['count']) - droppedOwn + 1 - placesFor({ isAdmin }, capacity);
  if (tooMany > 0 && (await drop('true', [], tooMany)).length < tooMany) throw allInUse(kind, capacity);
}

function idsOf(rows: readonly Row[]): string[] {
  return rows.map(({ id }) => String(id));
}
