import type { Owner } from './key-store.ts';

/** A person whom an administrator suspends, with the name by which the administrator knows them. */
export type Suspended = Owner & { readonly name?: string | undefined };

/** A person whom an administrator has suspended. Without a known name, it is the subject. `since` is milliseconds since the epoch. */
export type Suspension = Owner & { readonly name: string; readonly since: number };

/** The suspended people in a state database. Every method throws `state_unavailable` when it fails. */
export interface SuspensionStore {
  /** A person who is suspended already stays so since the earlier time, under the earlier name. */
  add(person: Suspended, at: number): Promise<void>;
  /** @returns whether the person was suspended. */
  remove(owner: Owner): Promise<boolean>;
  /** Asks the database each time, so that a suspension by another process counts at once. */
  includes(owner: Owner): Promise<boolean>;
  /** Unordered. */
  list(): Promise<Suspension[]>;
}

/** Keys of one kind, which rest while their creator is suspended. */
type RestingKeys = { followSuspension(owner: Owner): Promise<unknown> };

export type SuspensionsOptions = {
  readonly store: SuspensionStore;
  /** The keys of every kind, also of one that is not configured: it may be again. */
  readonly keys: readonly RestingKeys[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/**
 * Suspends people: their keys rest, and `Sessions` starts no session of theirs.
 *
 * The row of the person is written first, and whatever is made for a person is stored before the row is looked for, so one of the two always sees the other.
 * Whoever suspends a person ends their sessions afterwards. Both methods can be repeated after a failure.
 */
export class Suspensions {
  readonly #options: SuspensionsOptions;

  constructor(options: SuspensionsOptions) {
    this.#options = options;
  }

  async suspend(person: Suspended): Promise<void> {
    await this.#options.store.add(person, this.#options.now());
    await this.#tellKeys(person);
  }

  /** @returns whether the person was suspended. */
  async resume(owner: Owner): Promise<boolean> {
    const wasSuspended = await this.#options.store.remove(owner);
    await this.#tellKeys(owner);
    return wasSuspended;
  }

  /** Makes the keys of all suspended people rest, in case the process ended before a suspension was answered. Their sessions are ended by `endSuspended`. */
  async enforce(): Promise<void> {
    for (const suspension of await this.list()) await this.#tellKeys(suspension);
  }

  includes(owner: Owner): Promise<boolean> {
    return this.#options.store.includes(owner);
  }

  /** Unordered. */
  list(): Promise<Suspension[]> {
    return this.#options.store.list();
  }

  async #tellKeys(owner: Owner): Promise<void> {
    for (const keys of this.#options.keys) await keys.followSuspension(owner);
  }
}

/** The id of a person's row. */
export function suspensionId({ issuer, subject }: Owner): string {
  return JSON.stringify([issuer, subject]);
}

export function suspensionOf(row: Readonly<Record<string, unknown>>): Suspension {
  const subject = String(row['subject']);
  return {
    issuer: String(row['issuer']),
    subject,
    name: typeof row['person_name'] === 'string' ? row['person_name'] : subject,
    since: Number(row['suspended_at']),
  };
}
