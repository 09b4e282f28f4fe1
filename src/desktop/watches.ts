import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Target } from '../transfer/transport.ts';
import { Journal } from './journal.ts';
import type { FolderDialog } from './save-dialog.ts';
import { Watch, type WatchedFolder, type WatchParts, type WatchStatus } from './watch.ts';

const LOOK_MS = 2_000;
/** The pause after a scan is this many times its duration, so that scanning takes at most a tenth of the time. */
const REST = 9;
const MOST = 20;

export type WatchesParts = WatchParts & {
  /** The private folder in which the watches are stored. */
  readonly folder: string;
  readonly lookMs?: number;
};

/** The folders of this computer that are watched for an account, each for the person who began it. */
export class Watches {
  readonly #parts: WatchesParts;
  readonly #journal: Journal<WatchedFolder>;
  readonly #watches = new Map<number, Watch>();
  readonly #stop = new AbortController();
  #lastId = 0;
  #isAsking = false;
  #isLooking = false;

  constructor(parts: WatchesParts) {
    this.#parts = parts;
    this.#journal = new Journal(join(parts.folder, 'watches.jsonl'));
    for (const [id, place] of this.#journal.open()) this.#watches.set(id, new Watch(place, parts));
    this.#lastId = Math.max(0, ...this.#watches.keys());
    this.#start();
  }

  /**
   * Asks for a folder, one at a time.
   *
   * @param target - the folder to which files are uploaded.
   * @returns null when the person closes the dialog.
   */
  async beginAs(target: Target, title: string, choose: FolderDialog): Promise<{ readonly id: number } | null> {
    const owner = this.#parts.owner();
    if (owner === undefined || this.#isAsking) throw new Error('this cannot be asked now');
    this.#isAsking = true;
    try {
      const folder = await choose(title);
      // Somebody else may have signed in while the dialog was open.
      return folder === undefined || this.#parts.owner() !== owner ? null : { id: this.begin(folder, target) };
    } finally {
      this.#isAsking = false;
    }
  }

  begin(folder: string, target: Target): number {
    const owner = this.#parts.owner();
    if (owner === undefined) throw new Error('nobody is signed in');
    if (target.key !== '' && !target.key.endsWith('/')) throw new Error('files go into a folder');
    const own = this.#own();
    const same = own.find(
      ([, { place }]) => place.folder === folder && JSON.stringify(place.target) === JSON.stringify(target),
    );
    if (same !== undefined) return same[0];
    if (own.length >= MOST) throw new Error(`${MOST} folders are watched already; stop one first`);
    const place = { owner, folder, target, memory: join(this.#parts.folder, `watch-${randomUUID()}.jsonl`) };
    const id = ++this.#lastId;
    this.#watches.set(id, new Watch(place, this.#parts));
    this.#journal.set([[id, place]]);
    this.#start();
    return id;
  }

  /** The watches of the signed-in person. */
  list(): (WatchStatus & { readonly id: number })[] {
    return this.#own().map(([id, { status }]) => ({ id, ...status }));
  }

  /** Ends a watch. Uploaded files stay. */
  async end(id: number): Promise<void> {
    const [, watch] = this.#own().find(([own]) => own === id) ?? [];
    if (watch === undefined) throw new Error('there is no such folder');
    this.#watches.delete(id);
    this.#journal.delete(id);
    await watch.end();
    await rm(watch.place.memory, { force: true });
  }

  close(): void {
    this.#stop.abort();
    for (const watch of this.#watches.values()) watch.close();
  }

  #own(): [number, Watch][] {
    const owner = this.#parts.owner();
    return [...this.#watches].filter(([, { place }]) => place.owner === owner);
  }

  #start(): void {
    if (this.#isLooking || this.#watches.size === 0) return;
    this.#isLooking = true;
    void this.#look().catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const began = performance.now();
      for (const [, watch] of this.#own()) await watch.look().catch(() => undefined);
      await wait(Math.max(this.#parts.lookMs ?? LOOK_MS, REST * (performance.now() - began)), undefined, { signal });
    }
  }
}
