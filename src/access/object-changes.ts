import { isBucketName, isKeyText, isProviderName } from '../policy/model/name.ts';
import type { ObjectNotices } from '../state/notices.ts';

/** Changes are told in windows that begin at fixed times, so that no change can be seen in when another one is told. */
const WINDOW_MS = 400;
/** What is kept of a window. Of more changes the rest is not told: whoever looks at a folder looks again by themselves. */
const MAX_BUCKETS = 64;
const MAX_KEYS_OF_BUCKET = 256;
/** A notification of PostgreSQL has less than 8,000 bytes, and some are for the name of the process. */
const MAX_NOTICE_BYTES = 7_000;
const MAX_NOTICES = 16;

export type ChangedObjects = { readonly provider: string; readonly bucket: string; readonly keys: readonly string[] };

/** Tells which objects changed through this service, in this process and in the others. */
export class ObjectChanges {
  readonly #others: ObjectNotices | undefined;
  readonly #listeners: ((changed: ChangedObjects) => void)[] = [];
  /** The keys that changed in this window, by `provider/bucket`. */
  #changed = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #isTelling = false;

  constructor(others: ObjectNotices | undefined) {
    this.#others = others;
    others?.on((names) => this.#pass(changedIn(names)));
  }

  on(listener: (changed: ChangedObjects) => void): void {
    this.#listeners.push(listener);
  }

  /** Nothing waits for this, and nothing fails by it. */
  note(provider: string, bucket: string, key: string): void {
    const place = `${provider}/${bucket}`;
    const keys = this.#changed.get(place) ?? new Set<string>();
    if (keys.size >= MAX_KEYS_OF_BUCKET || (keys.size === 0 && this.#changed.size >= MAX_BUCKETS)) return;
    this.#changed.set(place, keys.add(key));
    this.#timer ??= setTimeout(() => this.#endWindow(), WINDOW_MS - (performance.now() % WINDOW_MS)).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #endWindow(): void {
    const told = Array.from(this.#changed, ([place, keys]) => [place, ...keys]);
    this.#changed = new Map();
    this.#timer = undefined;
    for (const names of told) this.#pass(changedIn(names));
    if (this.#others !== undefined && !this.#isTelling) void this.#tell(this.#others, told.flatMap(cut));
  }

  #pass(changed: ChangedObjects | undefined): void {
    if (changed !== undefined) for (const listener of this.#listeners) listener(changed);
  }

  /** What changes while the others cannot be reached is not told to them. */
  async #tell(others: ObjectNotices, notices: readonly (readonly string[])[]): Promise<void> {
    this.#isTelling = true;
    try {
      for (const names of notices.slice(0, MAX_NOTICES)) await others.tell(names);
    } catch {
      // They look again by themselves.
    } finally {
      this.#isTelling = false;
    }
  }
}

/** Reads a notice, which another process may have written in any form; undefined for one that is none. */
function changedIn(names: unknown): ChangedObjects | undefined {
  if (
    !Array.isArray(names) ||
    names.length > MAX_KEYS_OF_BUCKET + 1 ||
    !names.every((name) => typeof name === 'string')
  )
    return undefined;
  const [place = '', ...keys] = names;
  const [provider = '', bucket = '', ...more] = place.split('/');
  const isPlace = isProviderName(provider) && isBucketName(bucket) && more.length === 0;
  return isPlace && keys.every(isKeyText) ? { provider, bucket, keys } : undefined;
}

/** Cuts what changed in a bucket into notices that fit. */
function cut([place = '', ...keys]: readonly string[]): string[][] {
  const notices: string[][] = [];
  let left = 0;
  for (const key of keys) {
    const bytes = Buffer.byteLength(JSON.stringify(key)) + 1;
    if (bytes > left) {
      notices.push([place]);
      left = MAX_NOTICE_BYTES - place.length - 5;
    }
    notices.at(-1)!.push(key);
    left -= bytes;
  }
  return notices;
}
