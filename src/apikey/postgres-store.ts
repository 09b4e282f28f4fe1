import { LRUCache } from 'lru-cache';
import type { PostgresChanges } from '../state/postgres-changes.ts';
import type { Ask, Row } from '../state/postgres-ask.ts';
import type { PostgresDatabase } from '../state/postgres-database.ts';
import { placesFor } from '../state/places.ts';
import { allInUse, tooManyOwn } from './api-key-capacity.ts';
import { keyOf, outlineOf } from './api-key-row.ts';
import type { ApiKeyLimits, ApiKeyOutline, ApiKeyStore, StoredApiKey } from './api-key-store.ts';
import type { ApiKey, ApiKeyScope } from './api-key.ts';

/** A cached key. `isCurrent`: its row has not changed since it was read. */
type Known = { readonly revision: number; readonly stored: StoredApiKey; isCurrent: boolean };

const CACHE_LIMIT = 10_000;
const READ_AT_ONCE = 100;
const OUTLINE = 'id, created_at, creator_issuer, creator_subject, creator_name';
const DROP_OWN =
  'DELETE FROM svc.api_keys WHERE id IN (SELECT id FROM svc.api_keys WHERE expires_at <= $1 AND creator_issuer = $3 AND creator_subject = $4 ORDER BY expires_at LIMIT $2) RETURNING id';
const DROP =
  'DELETE FROM svc.api_keys WHERE id IN (SELECT id FROM svc.api_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2) RETURNING id';

/** The store of API keys in PostgreSQL. Keys are cached while this process receives the changes of all instances. */
export class PostgresApiKeyStore implements ApiKeyStore {
  readonly #db: PostgresDatabase;
  readonly #changes: PostgresChanges;
  readonly #known = new LRUCache<string, Known>({ max: CACHE_LIMIT });
  readonly #listeners: ((id?: string) => void)[] = [];

  constructor({ database, changes }: { readonly database: PostgresDatabase; readonly changes: PostgresChanges }) {
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

  insert({ key, verifier }: StoredApiKey, limits: ApiKeyLimits, now: number): Promise<void> {
    const { creator } = key;
    return this.#db.transaction(async (ask) => {
      await makeRoom(ask, creator, limits, now);
      await ask(
        `INSERT INTO svc.api_keys (id, verifier, revision, description, scope, expires_at,
           creator_issuer, creator_subject, creator_groups, creator_name, created_at, rotated_at, last_used_at)
         VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
        [
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
        ],
      );
    });
  }

  find(id: string): StoredApiKey | Promise<StoredApiKey | undefined> {
    const known = this.#known.get(id);
    return known?.isCurrent === true && this.#changes.areKnown ? known.stored : this.#read(id, known);
  }

  async list(): Promise<ApiKey[]> {
    return (await this.#db.query('SELECT * FROM svc.api_keys ORDER BY created_at DESC, id')).map(keyOf);
  }

  async outlines(): Promise<ApiKeyOutline[]> {
    return (await this.#db.query(`SELECT ${OUTLINE} FROM svc.api_keys`)).map(outlineOf);
  }

  async read(ids: readonly string[]): Promise<ApiKey[]> {
    const keys: ApiKey[] = [];
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const some = ids.slice(from, from + READ_AT_ONCE);
      const found = new Map(
        (await this.#db.query('SELECT * FROM svc.api_keys WHERE id = ANY($1)', [some])).map((row) => [
          row['id'],
          keyOf(row),
        ]),
      );
      keys.push(...some.flatMap((id) => found.get(id) ?? []));
    }
    return keys;
  }

  replaceVerifier(id: string, verifier: Uint8Array, rotatedAt: number): Promise<ApiKey | undefined> {
    return this.#change(
      id,
      'UPDATE svc.api_keys SET verifier = $2, rotated_at = $3, revision = revision + 1 WHERE id = $1 RETURNING *',
      [verifier, rotatedAt],
    );
  }

  replaceScope(id: string, scope: ApiKeyScope): Promise<ApiKey | undefined> {
    return this.#change(id, 'UPDATE svc.api_keys SET scope = $2, revision = revision + 1 WHERE id = $1 RETURNING *', [
      JSON.stringify(scope),
    ]);
  }

  remove(id: string): Promise<ApiKey | undefined> {
    return this.#change(id, 'DELETE FROM svc.api_keys WHERE id = $1 RETURNING *', []);
  }

  recordUses(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#db.transaction(async (ask) => {
      await ask(
        `UPDATE svc.api_keys SET last_used_at = greatest(last_used_at, used.at) FROM unnest($1::text[], $2::bigint[]) AS used (id, at) WHERE api_keys.id = used.id`,
        [[...uses.keys()], [...uses.values()]],
      );
    });
  }

  onChangedElsewhere(listener: (id?: string) => void): void {
    this.#listeners.push(listener);
  }

  async #change(id: string, sql: string, values: readonly unknown[]): Promise<ApiKey | undefined> {
    const changing = this.#db.transaction(async (ask) => {
      const changed = await ask(sql, [id, ...values]);
      await this.#changes.note(
        ask,
        'key',
        changed.map((row) => String(row['id'])),
      );
      return changed;
    });
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

  async #read(id: string, known: Known | undefined): Promise<StoredApiKey | undefined> {
    const { areKnown, turn } = this.#changes;
    const [row] = await this.#db.query('SELECT * FROM svc.api_keys WHERE id = $1', [id]);
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
  { issuer, subject }: ApiKey['creator'],
  { capacity, perSubject, isAdmin }: ApiKeyLimits,
  now: number,
): Promise<void> {
  const [tally] = await ask(`SELECT count FROM svc.tallies WHERE name = 'api_keys' FOR UPDATE`);
  const [own] = await ask(
    'SELECT count(*) AS count FROM svc.api_keys WHERE creator_issuer = $1 AND creator_subject = $2',
    [issuer, subject],
  );
  const tooManyOfOwn = Number(own?.['count']) + 1 - perSubject;
  const droppedOwn = tooManyOfOwn > 0 ? (await ask(DROP_OWN, [now, tooManyOfOwn, issuer, subject])).length : 0;
  if (droppedOwn < tooManyOfOwn) throw tooManyOwn(perSubject);
  const tooMany = Number(tally?.['count']) - droppedOwn + 1 - placesFor({ isAdmin }, capacity);
  if (tooMany > 0 && (await ask(DROP, [now, tooMany])).length < tooMany) throw allInUse(capacity);
}

function storedOf(row: Row): StoredApiKey {
  return { key: keyOf(row), verifier: row['verifier'] as Uint8Array };
}
