import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { StateDatabase } from '../state/database.ts';
import type { Notices } from '../state/notices.ts';
import { placesFor } from '../state/places.ts';
import type { KeyScope } from '../policy/model/key-scope.ts';
import type { Key, KeyKind } from './key.ts';
import type { KeyLimits, KeyOutline, KeyStore, Owner, StoredKey } from './key-store.ts';
import { allInUse, tooManyOwn } from './key-capacity.ts';
import { COLUMNS, keyOf, outlineOf, storedOf, valuesOf } from './key-row.ts';

type Row = Record<string, SQLOutputValue>;

const CACHE_LIMIT = 1_024;

/**
 * The store of the keys of one kind in SQLite.
 *
 * Every use of a key reads its row. The parsed key is kept while the row has the same `revision`, so that an unchanged key is always the same object.
 */
export class SqliteKeyStore implements KeyStore {
  readonly #db: StateDatabase;
  readonly #kind: KeyKind;
  readonly #notices: Notices | undefined;
  readonly #parsed = new LRUCache<string, { readonly revision: number; readonly stored: StoredKey }>({
    max: CACHE_LIMIT,
  });
  readonly #looks = new Map<string, Promise<StoredKey | undefined>>();
  readonly #find: StatementSync;
  readonly #revision: StatementSync;
  readonly #list: StatementSync;
  readonly #outlines: StatementSync;
  readonly #count: StatementSync;
  readonly #countOwn: StatementSync;
  readonly #dropExpired: StatementSync;
  readonly #dropOwnExpired: StatementSync;
  readonly #insert: StatementSync;
  readonly #replaceVerifier: StatementSync;
  readonly #replaceScope: StatementSync;
  readonly #remove: StatementSync;
  readonly #noteSignIn: StatementSync;
  readonly #isToNote: StatementSync;
  readonly #followSuspension: StatementSync;
  readonly #recordUse: StatementSync;

  /** @param notices - set when several processes of this service use the database. */
  constructor(db: StateDatabase, kind: KeyKind, notices?: Notices) {
    const { table } = kind;
    this.#kind = kind;
    this.#db = db;
    this.#notices = notices;
    this.#find = db.prepare(`SELECT * FROM ${table} WHERE id = ?`);
    this.#revision = db.prepare(`SELECT revision FROM ${table} WHERE id = ?`);
    this.#list = db.prepare(`SELECT id FROM ${table} ORDER BY created_at DESC, id`);
    this.#outlines = db.prepare(`SELECT id, created_at, creator_issuer, creator_subject, creator_name FROM ${table}`);
    this.#count = db.prepare(`SELECT count(*) AS count FROM ${table}`);
    this.#countOwn = db.prepare(
      `SELECT count(*) AS count FROM ${table} WHERE creator_issuer = ? AND creator_subject = ?`,
    );
    this.#dropExpired = db.prepare(
      `DELETE FROM ${table} WHERE id = (SELECT id FROM ${table} WHERE expires_at <= ? ORDER BY expires_at LIMIT 1)`,
    );
    this.#dropOwnExpired = db.prepare(
      `DELETE FROM ${table} WHERE id = (SELECT id FROM ${table} WHERE creator_issuer = ? AND creator_subject = ? AND expires_at <= ? ORDER BY expires_at LIMIT 1)`,
    );
    this.#insert = db.prepare(
      `INSERT INTO ${table} (${COLUMNS.join(', ')}, revision, suspended_at)
         VALUES (${COLUMNS.map(() => '?').join(', ')}, 1, (SELECT suspended_at FROM suspensions WHERE issuer = ? AND subject = ?))`,
    );
    this.#replaceVerifier = db.prepare(
      `UPDATE ${table} SET verifier = ?, rotated_at = ?, revision = revision + 1 WHERE id = ? RETURNING *`,
    );
    this.#replaceScope = db.prepare(`UPDATE ${table} SET scope = ?, revision = revision + 1 WHERE id = ? RETURNING *`);
    this.#remove = db.prepare(`DELETE FROM ${table} WHERE id = ? RETURNING *`);
    const toNote = `creator_issuer = ? AND creator_subject = ? AND coalesce(signed_in_at, 0) < ?`;
    this.#isToNote = db.prepare(`SELECT 1 FROM ${table} WHERE ${toNote} LIMIT 1`);
    this.#noteSignIn = db.prepare(`UPDATE ${table} SET signed_in_at = ?, revision = revision + 1 WHERE ${toNote}`);
    const suspendedAt = '(SELECT suspended_at FROM suspensions WHERE issuer = ?1 AND subject = ?2)';
    this.#followSuspension = db.prepare(
      `UPDATE ${table} SET suspended_at = ${suspendedAt}, revision = revision + 1
         WHERE creator_issuer = ?1 AND creator_subject = ?2 AND suspended_at IS NOT ${suspendedAt} RETURNING id`,
    );
    this.#recordUse = db.prepare(`UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?`);
  }

  insert(
    stored: Pick<StoredKey, 'key' | 'verifier'>,
    { capacity, perSubject, isAdmin }: KeyLimits,
    now: number,
  ): Promise<void> {
    const places = placesFor({ isAdmin }, capacity);
    return this.#db.write(() => {
      const { creator } = stored.key;
      const own = [creator.issuer, creator.subject] as const;
      while (Number(this.#countOwn.get(...own)?.['count']) >= perSubject) {
        if (this.#dropOwnExpired.run(...own, now).changes === 0) {
          throw tooManyOwn(this.#kind, perSubject);
        }
      }
      while (Number(this.#count.get()?.['count']) >= places) {
        if (this.#dropExpired.run(now).changes === 0) {
          throw allInUse(this.#kind, capacity);
        }
      }
      this.#insert.run(...valuesOf(stored), ...own);
    });
  }

  /** Requests that came in one turn of the event loop share a look at the row after it. It costs a tenth of a small request. */
  find(id: string): Promise<StoredKey | undefined> {
    let look = this.#looks.get(id);
    if (look === undefined) {
      look = turn().then(() => {
        this.#looks.delete(id);
        return this.#read(id);
      });
      this.#looks.set(id, look);
    }
    return look;
  }

  #read(id: string): StoredKey | undefined | Promise<StoredKey | undefined> {
    return this.#db.read(() => {
      const parsed = this.#parsed.get(id);
      if (parsed !== undefined && this.#revision.get(id)?.['revision'] === parsed.revision) return parsed.stored;
      const row = this.#find.get(id);
      if (row === undefined) return undefined;
      const stored = storedOf(row);
      this.#parsed.set(id, { revision: Number(row['revision']), stored });
      return stored;
    });
  }

  async list(): Promise<Key[]> {
    return this.read((await this.#db.read(() => this.#list.all())).map(({ id }) => String(id)));
  }

  async outlines(): Promise<KeyOutline[]> {
    const rows = await this.#db.read(() => this.#outlines.all());
    return rows.map(outlineOf);
  }

  /** Scopes can be long, so other requests run between two keys. */
  async read(ids: readonly string[]): Promise<Key[]> {
    const keys: Key[] = [];
    for (const id of ids) {
      const row = await this.#db.read(() => this.#find.get(id));
      if (row !== undefined) keys.push(keyOf(row));
      await turn();
    }
    return keys;
  }

  replaceVerifier(id: string, verifier: Uint8Array, rotatedAt: number): Promise<Key | undefined> {
    return this.#change(() => this.#replaceVerifier.get(verifier, rotatedAt, id));
  }

  replaceScope(id: string, scope: KeyScope): Promise<Key | undefined> {
    return this.#change(() => this.#replaceScope.get(JSON.stringify(scope), id));
  }

  remove(id: string): Promise<Key | undefined> {
    return this.#change(() => this.#remove.get(id));
  }

  /** Most people have no keys, so that nothing is written. */
  async noteSignIn({ issuer, subject }: Owner, at: number, unless: number): Promise<void> {
    const who = [issuer, subject, unless] as const;
    if ((await this.#db.read(() => this.#isToNote.get(...who))) === undefined) return;
    await this.#db.write(() => this.#noteSignIn.run(at, ...who));
  }

  async followSuspension({ issuer, subject }: Owner): Promise<string[]> {
    const rows = await this.#db.write(() => this.#followSuspension.all(issuer, subject));
    const ids = rows.map(({ id }) => String(id));
    if (ids.length > 0) await this.#notices?.tell('key', ids);
    return ids;
  }

  recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#db.write(() => {
      for (const [id, at] of uses) this.#recordUse.run(at, id);
    });
  }

  onChangedElsewhere(listener: (id?: string) => void): void {
    this.#db.onChangedElsewhere(() => listener());
    this.#notices?.on('key', (ids) => ids.forEach((id) => listener(id)));
  }

  async #change(statement: () => Row | undefined): Promise<Key | undefined> {
    const row = await this.#db.write(statement);
    if (row === undefined) return undefined;
    const key = keyOf(row);
    await this.#notices?.tell('key', [key.id]);
    return key;
  }
}
