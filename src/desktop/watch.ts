import { lstat, realpath } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import pLimit from 'p-limit';
import type { Connection } from '../client/connection.ts';
import { localFile } from '../client/local-file.ts';
import { ticketTransport } from '../client/ticket-transport.ts';
import { plainEtag } from '../transfer/plain-etag.ts';
import { walk } from '../client/walk.ts';
import { failureOf, fileChanged, isTransient, type Failure } from '../transfer/failure.ts';
import type { MultipartUpload, ResumeStore } from '../transfer/resume-store.ts';
import { abandonUpload } from '../transfer/send-in-parts.ts';
import { sendUpload } from '../transfer/send.ts';
import type { Target } from '../transfer/transport.ts';
import { Journal } from './journal.ts';
import { etagAt, onlyOver } from './only-over.ts';
import { failureForPage } from './uploads.ts';

/** How many files of one folder are tracked. */
const MOST_FILES = 20_000;
const FILES_AT_ONCE = 2;
const REQUESTS_AT_ONCE = 4;
const PARTS_AT_ONCE = 3;
/** The pause after a failure that may pass. */
const AGAIN_MS = 15_000;
const REFUSED_SHOWN = 20;
/** Hidden files, and temporary files of editors, office programs and browsers. */
const PASSED_OVER = /^(?:\.|~\$)|(?:~|\.(?:tmp|temp|swp|part|partial|crdownload|download))$/i;

/** A folder of this computer, and the folder of a bucket to which its files are uploaded: `target.key` is empty or ends with `/`. */
export type WatchedFolder = {
  readonly owner: string;
  readonly folder: string;
  readonly target: Target;
  /** The file that stores what was uploaded. */ readonly memory: string;
};

/** The stored data of a file: the version that was stored or refused, and a running upload. */
type Known = {
  readonly path: string;
  /** Identifies a version of the file. Empty before a version was stored or refused. */
  readonly mark: string;
  /** The ETag of the object that we stored. */
  readonly etag?: string;
  readonly failure?: Failure;
  readonly begun?: MultipartUpload & { readonly mark: string };
};

/** The state for the page: names, never a path outside the folder. */
export type WatchStatus = {
  readonly folder: string;
  readonly target: Target;
  readonly stored: number;
  readonly waiting: number;
  readonly refusedCount: number;
  readonly refused: readonly { readonly path: string; readonly failure: Failure }[];
  /** A problem with the folder as a whole. */
  readonly trouble: Failure | undefined;
};

export type WatchParts = {
  readonly connection: () => Connection;
  readonly owner: () => string | undefined;
  /** Called with the number of files that were refused since the last call. */
  readonly onRefused: (folder: string, count: number) => void;
};

/**
 * Uploads new and changed files of one folder. It deletes nothing, and only overwrites what it uploaded itself.
 *
 * A version of a file is identified by its size, time and inode. It is uploaded when two consecutive scans find the same version.
 *
 * It is one file, because the scan, the upload and the journal change the same entry of each file.
 */
export class Watch {
  readonly place: WatchedFolder;
  readonly #parts: WatchParts;
  readonly #journal: Journal<Known>;
  readonly #known = new Map<string, { readonly id: number; readonly is: Known }>();
  readonly #files = pLimit(FILES_AT_ONCE);
  readonly #requests = pLimit(REQUESTS_AT_ONCE);
  readonly #sending = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  /** The files of the last scan, by path, with their marks. */
  #seen = new Map<string, string>();
  #trouble: Failure | undefined;
  /** Why nothing is sent before `#notBefore`. */
  #delay: Failure | undefined;
  #notBefore = 0;
  #newlyRefused = 0;
  #lastId = 0;

  constructor(place: WatchedFolder, parts: WatchParts) {
    this.place = place;
    this.#parts = parts;
    this.#journal = new Journal(place.memory);
    for (const [id, is] of this.#journal.open()) {
      this.#known.set(is.path, { id, is });
      this.#lastId = Math.max(this.#lastId, id);
    }
  }

  get status(): WatchStatus {
    const known = [...this.#known.values()].map(({ is }) => is);
    const refused = known.flatMap(({ path, failure }) => (failure === undefined ? [] : [{ path, failure }]));
    const { folder, target } = this.place;
    return {
      folder: basename(folder),
      target,
      stored: known.filter(({ mark, failure }) => mark !== '' && failure === undefined).length,
      waiting: this.#sending.size,
      refusedCount: refused.length,
      refused: refused.slice(0, REFUSED_SHOWN),
      trouble: this.#trouble,
    };
  }

  /** Scans all files once, and begins to upload those that are new and unchanged since the last scan. */
  async look(): Promise<void> {
    const seen = new Map<string, string>();
    this.#trouble = (await this.#find(seen)) ?? (Date.now() < this.#notBefore ? this.#delay : undefined);
    const rested = [...seen].filter(
      ([path, mark]) =>
        this.#seen.get(path) === mark && this.#known.get(path)?.is.mark !== mark && !this.#sending.has(path),
    );
    this.#seen = seen;
    if (this.#known.size >= MOST_FILES) await this.#forgetGone();
    if (this.#isPaused()) return;
    for (const [path, mark] of rested)
      this.#sending.set(
        path,
        this.#files(() => this.#send(path, mark))
          .catch((error: unknown) => this.#later(error))
          .finally(() => this.#sent(path)),
      );
  }

  /** Stops. Parts that have arrived stay for the next start. */
  close(): void {
    this.#stop.abort();
  }

  /** Stops for good and deletes the parts of unfinished uploads. */
  async end(): Promise<void> {
    this.close();
    await Promise.all(this.#sending.values());
    for (const path of this.#known.keys()) await this.#abandon(path);
  }

  /** @returns what is wrong with the folder. */
  async #find(seen: Map<string, string>): Promise<Failure | undefined> {
    const { folder } = this.place;
    let trouble: Failure | undefined;
    let things = 0;
    for await (const one of walk(folder, (name) => PASSED_OVER.test(name))) {
      things += 1;
      if (things > MOST_FILES)
        return {
          code: 'too_many_files',
          detail: `the folder holds more than ${MOST_FILES} files; the others are not uploaded`,
        };
      if (this.#stop.signal.aborted) break;
      if ('size' in one) seen.set(relative(folder, one.path), markOf(one));
      else if ('error' in one) trouble = failureForPage(one.error);
    }
    return trouble;
  }

  #isPaused(): boolean {
    return this.#stop.signal.aborted || this.#parts.owner() !== this.place.owner || Date.now() < this.#notBefore;
  }

  async #send(path: string, mark: string): Promise<void> {
    if (this.#isPaused()) return;
    if (this.#known.get(path)?.is.begun?.mark !== mark) await this.#abandon(path);
    try {
      const etag = await this.#store(path, mark);
      this.#set({ path, mark, ...(etag !== undefined && { etag }) });
    } catch (error) {
      const { code } = failureOf(error);
      // The next scan finds the new version, or no file.
      if (this.#stop.signal.aborted || code === 'file_changed' || code === 'ENOENT') return;
      if (maySucceedLater(error)) throw error;
      await this.#abandon(path);
      const etag = this.#known.get(path)?.is.etag;
      this.#set({ path, mark, ...(etag !== undefined && { etag }), failure: failureForPage(error) });
      this.#newlyRefused += 1;
    }
  }

  /** @returns the ETag of the stored object; undefined when it may not be known. */
  async #store(path: string, mark: string): Promise<string | undefined> {
    const connection = this.#parts.connection();
    const file = await localFile(await this.#ownPath(path, mark));
    // A link may have been put on the path since.
    if (markOf({ size: file.size, mtimeMs: file.lastModified, ino: file.ino }) !== mark) throw fileChanged();
    const target = this.#targetOf(path);
    const ours = this.#known.get(path)?.is.etag;
    const isOurs = ours !== undefined && (await etagAt(connection, target)) === ours;
    let etag: string | undefined;
    const transport = ticketTransport(connection, (stored) => (etag = plainEtag(stored)));
    await sendUpload(
      { file, target, whenTaken: isOurs ? 'replace' : 'refuse' },
      {
        transport: isOurs ? onlyOver(ours, transport, connection) : transport,
        resumeStore: this.#resumeStoreOf(path, mark),
        requests: this.#requests,
        partsAtOnce: PARTS_AT_ONCE,
        signal: this.#stop.signal,
        onSent: () => undefined,
      },
    );
    return etag ?? etagAt(connection, target);
  }

  /**
   * The path of the file.
   *
   * @throws {TransferError} when the file is not the scanned version, or a symbolic link is on the path now.
   */
  async #ownPath(path: string, mark: string): Promise<string> {
    const at = join(await realpath(this.place.folder), path);
    if ((await realpath(at)) !== at || markOf(await lstat(at)) !== mark) throw fileChanged();
    return at;
  }

  #resumeStoreOf(path: string, mark: string): ResumeStore {
    const known = () => this.#known.get(path)?.is ?? { path, mark: '' };
    return {
      find: async () => {
        const { begun } = known();
        return begun && { ...begun, isCurrent: true };
      },
      remember: async (_file, _target, begun) => this.#set({ ...known(), begun: { ...begun, mark } }),
      forget: async () => {
        const { begun: _begun, ...others } = known();
        this.#set(others);
      },
    };
  }

  async #abandon(path: string): Promise<void> {
    if (this.#known.get(path)?.is.begun === undefined) return;
    const file = { name: path, size: 0, lastModified: 0, contentType: '' };
    await abandonUpload(
      { file, target: this.#targetOf(path) },
      { transport: ticketTransport(this.#parts.connection()), resumeStore: this.#resumeStoreOf(path, '') },
    );
  }

  async #forgetGone(): Promise<void> {
    for (const [path, { id }] of this.#known) {
      if (this.#seen.has(path) || this.#sending.has(path)) continue;
      if (!this.#isPaused()) await this.#abandon(path);
      this.#known.delete(path);
      this.#journal.delete(id);
    }
  }

  #later(error: unknown): void {
    this.#trouble = this.#delay = failureForPage(error);
    this.#notBefore = Date.now() + AGAIN_MS;
  }

  #sent(path: string): void {
    this.#sending.delete(path);
    if (this.#sending.size > 0 || this.#newlyRefused === 0) return;
    this.#parts.onRefused(basename(this.place.folder), this.#newlyRefused);
    this.#newlyRefused = 0;
  }

  #targetOf(path: string): Target {
    const { target } = this.place;
    return { ...target, key: target.key + path.split(sep).join('/') };
  }

  #set(is: Known): void {
    const id = this.#known.get(is.path)?.id ?? ++this.#lastId;
    this.#known.set(is.path, { id, is });
    this.#journal.set([[id, is]]);
  }
}

function markOf({
  size,
  mtimeMs,
  ino,
}: {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}): string {
  return `${size} ${mtimeMs} ${ino}`;
}

/**
 * Whether the upload may succeed later without a change of the file, for example after the next sign-in, or when a disk is available again. Unreadable files
 * are reported instead.
 */
function maySucceedLater(error: unknown): boolean {
  const { code } = failureOf(error);
  const isOfThisComputer = error instanceof Error && 'syscall' in error && code !== 'EACCES' && code !== 'EPERM';
  return isTransient(error) || code === 'audit_unavailable' || code === 'session_required' || isOfThisComputer;
}
