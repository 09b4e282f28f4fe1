import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { StateDatabase } from '../state/database.ts';
import type { Notices } from '../state/notices.ts';
import { placesFor } from '../state/places.ts';
import type { ApiKey, ApiKeyScope } from './api-key.ts';
import type { ApiKeyLimits, ApiKeyOutline, ApiKeyStore, StoredApiKey } from './api-key-store.ts';
import { allInUse, tooManyOwn } from './api-key-capacity.ts';
import { keyOf, outlineOf } from './api-key-row.ts';

type Row = Record<string, SQLOutputValue>;

const CACHE_LIMIT = 1_024;

/**
 * The store of API keys in SQLite.
 *
 * Every use of a key reads its row. The parsed key is kept while the row has the same `revision`, so that an unchanged key is always the same object.
 */
export class SqliteApiKeyStore implements ApiKeyStore {
  readonly #db: StateDatabase;
  readonly #notices: Notices | undefined;
  readonly #parsed = new LRUCache<string, { readonly revision: number; readonly stored: StoredApiKey }>({
    max: CACHE_LIMIT,
  });
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
  readonly #recordUse: StatementSync;

  /** @param notices - set when several processes of this service use the database. */
  constructor(db: StateDatabase, notices?: Notices) {
    this.#db = db;
    this.#notices = notices;
    this.#find = db.prepare('SELECT * FROM api_keys WHERE id = ?');
    this.#revision = db.prepare('SELECT revision FROM api_keys WHERE id = ?');
    this.#list = db.prepare('SELECT id FROM api_keys ORDER BY created_at DESC, id');
    this.#outlines = db.prepare('SELECT id, created_at, creator_issuer, creator_subject, creator_name FROM api_keys');
    this.#count = db.prepare('SELECT count(*) AS count FROM api_keys');
    this.#countOwn = db.prepare(
      'SELECT count(*) AS count FROM api_keys WHERE creator_issuer = ? AND creator_subject = ?',
    );
    this.#dropExpired = db.prepare(
      'DELETE FROM api_keys WHERE id = (SELECT id FROM api_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT 1)',
    );
    this.#dropOwnExpired = db.prepare(
      'DELETE FROM api_keys WHERE id = (SELECT id FROM api_keys WHERE creator_issuer = ? AND creator_subject = ? AND expires_at <= ? ORDER BY expires_at LIMIT 1)',
    );
    this.#insert = db.prepare(
      `INSERT INTO api_keys (id, verifier, revision, description, scope, expires_at,
         creator_issuer, creator_subject, creator_groups, creator_name, created_at, rotated_at, last_used_at)
       VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#replaceVerifier = db.prepare(
      'UPDATE api_keys SET verifier = ?, rotated_at = ?, revision = revision + 1 WHERE id = ? RETURNING *',
    );
    this.#replaceScope = db.prepare('UPDATE api_keys SET scope = ?, revision = revision + 1 WHERE id = ? RETURNING *');
    this.#remove = db.prepare('DELETE FROM api_keys WHERE id = ? RETURNING *');
    this.#recordUse = db.prepare('UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?');
  }

  insert({ key, verifier }: StoredApiKey, { capacity, perSubject, isAdmin }: ApiKeyLimits, now: number): Promise<void> {
    const places = placesFor({ isAdmin }, capacity);
    return this.#db.write(() => {
      const { creator } = key;
      const own = [creator.issuer, creator.subject] as const;
      while (Number(this.#countOwn.get(...own)?.['count']) >= perSubject) {
        if (this.#dropOwnExpired.run(...own, now).changes === 0) {
          throw tooManyOwn(perSubject);
        }
      }
      while (Number(this.#count.get()?.['count']) >= places) {
        if (this.#dropExpired.run(now).changes === 0) {
          throw allInUse(capacity);
        }
      }
      this.#insert.run(
        key.id,
        verifier,
        key.description,
        JSON.stringify(key.scope),
        key.expiresAt,
        creator.issuer,
        creator.subject,
        JSON.stringify(creator.groups),
        creator.name,
        key.createdAt,
        key.rotatedAt,
        key.lastUsedAt,
      );
    });
  }

  find(id: string): StoredApiKey | undefined | Promise<StoredApiKey | undefined> {
    return this.#db.read(() => {
      const parsed = this.#parsed.get(id);
      if (parsed !== undefined && this.#revision.get(id)?.['revision'] === parsed.revision) return parsed.stored;
      const row = this.#find.get(id);
      if (row === undefined) return undefined;
      const stored = { key: keyOf(row), verifier: row['verifier'] as Uint8Array };
      this.#parsed.set(id, { revision: Number(row['revision']), stored });
      return stored;
    });
  }

  async list(): Promise<ApiKey[]> {
    return this.read((await this.#db.read(() => this.#list.all())).map(({ id }) => String(id)));
  }

  async outlines(): Promise<ApiKeyOutline[]> {
    const rows = await this.#db.read(() => this.#outlines.all());
    return rows.map(outlineOf);
  }

  /** Scopes can be long, so other requests run between two keys. */
  async read(ids: readonly string[]): Promise<ApiKey[]> {
    const keys: ApiKey[] = [];
    for (const id of ids) {
      const row = await this.#db.read(() => this.#find.get(id));
      if (row !== undefined) keys.push(keyOf(row));
      await turn();
    }
    return keys;
  }

  replaceVerifier(id: string, verifier: Uint8Array, rotatedAt: number): Promise<ApiKey | undefined> {
    return this.#change(() => this.#replaceVerifier.get(verifier, rotatedAt, id));
  }

  replaceScope(id: string, scope: ApiKeyScope): Promise<ApiKey | undefined> {
    return this.#change(() => this.#replaceScope.get(JSON.stringify(scope), id));
  }

  remove(id: string): Promise<ApiKey | undefined> {
    return this.#change(() => this.#remove.get(id));
  }

  recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#db.write(() => {
      for (const [id, at] of uses) this.#recordUse.run(at, id);
    });
  }

  onChangedElsewhere(listener: (id?: string) => void): void {
    this.#db.onChangedElsewhere(() => listener());
    this.#notices?.on('key', ([id]) => listener(id));
  }

  async #change(statement: () => Row | undefined): Promise<ApiKey | undefined> {
    const row = await this.#db.write(statement);
    if (row === undefined) return undefined;
    const key = keyOf(row);
    this.#notices?.tell('key', [key.id]);
    return key;
  }
}
