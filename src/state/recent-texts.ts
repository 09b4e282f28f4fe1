/**
 * Lists that keep only their latest texts.
 *
 * Every implementation passes `tests/contract/recent-texts.ts`.
 */
export interface RecentTexts {
  /** Adds a text, and drops all but the latest `keep` of the list. */
  add(list: string, text: string, keep: number): Promise<void>;
  /** The texts of a list, the latest first. */
  read(list: string): Promise<string[]>;
}

/** Lists in this process, lost when it stops. */
export class MemoryRecentTexts implements RecentTexts {
  readonly #lists = new Map<string, string[]>();

  async add(list: string, text: string, keep: number): Promise<void> {
    this.#lists.set(list, [text, ...(this.#lists.get(list) ?? [])].slice(0, keep));
  }

  async read(list: string): Promise<string[]> {
    return [...(this.#lists.get(list) ?? [])];
  }
}
