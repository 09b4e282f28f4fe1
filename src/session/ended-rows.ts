import type { StatementSync } from 'node:sqlite';
import type { StateDatabase } from '../state/database.ts';

/** The pause before rows are removed again. */
const PAUSE_MS = 1_000;

/**
 * Sessions that have ended although their rows could not be removed, for example on a full disk. The rows are removed as soon as they can be, because a restart
 * would bring the sessions back.
 */
export class EndedRows {
  readonly #db: StateDatabase;
  readonly #digests = new Set<string>();
  readonly #find: StatementSync;
  readonly #remove: StatementSync;
  #removal: NodeJS.Timeout | undefined;

  constructor(db: StateDatabase) {
    this.#db = db;
    this.#find = db.prepare('SELECT 1 FROM sessions WHERE digest = ?');
    this.#remove = db.prepare('DELETE FROM sessions WHERE digest = ?');
    db.onChangedElsewhere(() => {
      for (const digest of this.#digests) if (!this.#mayExist(digest)) this.#digests.delete(digest);
    });
  }

  has(digest: string): boolean {
    return this.#digests.has(digest);
  }

  /** Notes a session that has ended, unless its row is gone. */
  add(digest: string): void {
    if (!this.#mayExist(digest)) return;
    this.#digests.add(digest);
    this.#removeLater();
  }

  /** Removes the rows. @throws {SvcError} `state_unavailable`. */
  async remove(): Promise<void> {
    const digests = [...this.#digests];
    if (digests.length === 0) return;
    await this.#db.write(() => digests.forEach((digest) => this.#remove.run(digest)));
    for (const digest of digests) this.#digests.delete(digest);
  }

  #removeLater(): void {
    if (this.#removal !== undefined) return;
    this.#removal = setTimeout(() => {
      this.#removal = undefined;
      this.remove().catch(() => this.#db.isOpen && this.#removeLater());
    }, PAUSE_MS).unref();
  }

  /** False only when there is certainly no row. */
  #mayExist(digest: string): boolean {
    try {
      return this.#find.get(digest) !== undefined;
    } catch {
      return true;
    }
  }
}
