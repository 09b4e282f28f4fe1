import { setImmediate as turn } from 'node:timers/promises';
import { SvcError } from '../errors/svc-error.ts';
import { keyFilter } from '../policy/listing/key-filter.ts';
import type { KeysScope } from '../policy/model/resource.ts';
import type { Caller } from './caller.ts';
import type { ChangedObjects, ObjectChanges } from './object-changes.ts';

/** A page needs one or two. */
const MAX_OF_CLIENT = 8;
const MAX_OF_PROCESS = 10_000;
/** Between two messages about a folder. */
const PAUSE_MS = 1_000;
/** How many of the changed keys that the caller may list are kept until the next message. One that they may still list then is enough. */
const KEPT_KEYS = 8;
const RETRY_AFTER_SECONDS = 5;
/** After so many watches, other requests run. */
const WATCHES_IN_A_TURN = 32;
/** How many windows and notices of other processes may wait. The next ones are dropped. */
const MAX_WAITING = 256;

/** A client that watches folders. */
export type Watcher = {
  /** Identifies the caller again; undefined when their session or key has ended. */
  readonly again: () => Promise<Caller | undefined>;
  /** Resolves when the message about the watch has left, or the client has. */
  readonly tell: (watch: string) => Promise<void>;
};

/** The folders that one client watches. */
export interface WatchedFolders {
  /**
   * @returns the id of the watch.
   * @throws {SvcError} `rate_limited`: the client watches 8 folders. `overloaded`: all clients together watch too many.
   */
  begin(folder: KeysScope): string;
  end(watch: string): void;
}

type Watch = {
  readonly id: string;
  readonly folder: KeysScope;
  /** Changed keys of which the client was not told yet. The caller was allowed to list each when it changed. */
  readonly keys: Set<string>;
  /** When the next message may be sent. */
  notBefore: number;
};
type Heard = (watch: Watch, keys: readonly string[]) => void;

/** The folders that clients of this process watch. A client is told when a key changed that a listing shows to it, and of nothing else. */
export class FolderWatches {
  /** By `provider/bucket`, and by prefix. */
  readonly #buckets = new Map<string, Map<string, Map<Watch, Heard>>>();
  #count = 0;
  /** What changed, of which the first is being told. */
  readonly #waiting: ChangedObjects[] = [];

  constructor(changes: ObjectChanges) {
    changes.on((changed) => void this.#take(changed));
  }

  /** @returns the folders of a client, which has none yet, and a function for its end. */
  open(watcher: Watcher): WatchedFolders & { readonly close: () => void } {
    return new ClientFolders(watcher, (watch, heard) => this.#add(watch, heard));
  }

  #add(watch: Watch, heard: Heard): () => void {
    if (this.#count >= MAX_OF_PROCESS)
      throw new SvcError('overloaded', {
        detail: 'too many folders are watched',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    this.#count += 1;
    const { provider, bucket, prefix } = watch.folder;
    const place = `${provider}/${bucket}`;
    const folders = this.#buckets.get(place) ?? new Map<string, Map<Watch, Heard>>();
    const watches = folders.get(prefix) ?? new Map<Watch, Heard>();
    this.#buckets.set(place, folders.set(prefix, watches.set(watch, heard)));
    return () => {
      this.#count -= 1;
      watches.delete(watch);
      if (watches.size === 0) folders.delete(prefix);
      if (folders.size === 0) this.#buckets.delete(place);
    };
  }

  async #take(changed: ChangedObjects): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING || this.#waiting.push(changed) > 1) return;
    for (let next: ChangedObjects | undefined = changed; next !== undefined; next = this.#waiting[0]) {
      await this.#find(next);
      this.#waiting.shift();
    }
  }

  async #find({ provider, bucket, keys }: ChangedObjects): Promise<void> {
    let count = 0;
    for (const [prefix, watches] of [...(this.#buckets.get(`${provider}/${bucket}`) ?? [])]) {
      const beneath = keys.filter((key) => key.startsWith(prefix));
      for (const [watch, heard] of [...watches]) {
        if (beneath.length > 0) heard(watch, beneath);
        if ((count += 1) % WATCHES_IN_A_TURN === 0) await turn();
      }
    }
  }
}

/** Decides with the current rights of the caller, when a change is heard of and again before a message. Messages are sent one after the other. */
class ClientFolders implements WatchedFolders {
  readonly #watcher: Watcher;
  readonly #add: (watch: Watch, heard: Heard) => () => void;
  readonly #watches = new Map<string, { readonly watch: Watch; readonly leave: () => void }>();
  #lastId = 0;
  #isClosed = false;
  #isTelling = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(watcher: Watcher, add: (watch: Watch, heard: Heard) => () => void) {
    this.#watcher = watcher;
    this.#add = add;
  }

  begin(folder: KeysScope): string {
    // The client left while it was identified; nobody reads the answer.
    if (this.#isClosed) return '';
    if (this.#watches.size >= MAX_OF_CLIENT)
      throw new SvcError('rate_limited', {
        detail: `a socket watches at most ${MAX_OF_CLIENT} folders; end one with \`object/unwatch\` first`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    const id = String((this.#lastId += 1));
    const watch: Watch = { id, folder, keys: new Set(), notBefore: 0 };
    this.#watches.set(id, { watch, leave: this.#add(watch, (...heard) => void this.#hear(...heard)) });
    return id;
  }

  end(id: string): void {
    this.#watches.get(id)?.leave();
    this.#watches.delete(id);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const id of this.#watches.keys()) this.end(id);
  }

  async #hear(watch: Watch, keys: readonly string[]): Promise<void> {
    const isListed = await this.#filter(watch);
    for (const key of keys) {
      if (watch.keys.size >= KEPT_KEYS) break;
      if (isListed(key)) watch.keys.add(key);
    }
    await this.#tell();
  }

  async #tell(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    clearTimeout(this.#timer);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const left = next.notBefore - performance.now();
      if (left > 0) {
        this.#timer = setTimeout(() => void this.#tell(), left).unref();
        break;
      }
      const isListed = await this.#filter(next);
      const isChanged = [...next.keys].some(isListed);
      next.keys.clear();
      if (!isChanged) continue;
      next.notBefore = performance.now() + PAUSE_MS;
      await this.#watcher.tell(next.id);
    }
    this.#isTelling = false;
  }

  /** The watch with news whose turn is first. */
  #next(): Watch | undefined {
    let first: Watch | undefined;
    for (const { watch } of this.#watches.values())
      if (watch.keys.size > 0 && (first === undefined || watch.notBefore < first.notBefore)) first = watch;
    return first;
  }

  /** Which keys a listing shows to the caller now: none when their session or key has ended, or cannot be looked up. */
  async #filter({ id, folder }: Watch): Promise<(key: string) => boolean> {
    const caller = await this.#watcher.again().catch(() => undefined);
    return caller === undefined || !this.#watches.has(id)
      ? () => false
      : keyFilter(caller.effective, 'objects:list', folder);
  }
}
