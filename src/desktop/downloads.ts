import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '../client/connection.ts';
import { downloadObject, partPath, type KnownObject } from '../client/download.ts';
import type { PrivateFile } from '../client/private-file.ts';
import { codeOf } from '../errors/svc-error.ts';
import { isTransient } from '../transfer/failure.ts';
import type { Target } from '../transfer/transport.ts';
import { fileNameOf, numberedName } from './file-name.ts';
import { isOpenable } from './openable.ts';
import type { SaveDialog } from './save-dialog.ts';
import { sentenceOf } from './sentence.ts';

const AGAIN_MS = 5_000;
const REPORT_MS = 500;

/** `waiting` is for the next sign-in. */
export type DownloadState = 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';

/** The state of a download for the page. It contains no path except the name of the file. */
export type DownloadStatus = {
  readonly id: number;
  readonly name: string;
  readonly state: DownloadState;
  readonly bytes: number;
  readonly size: number;
  readonly message: string | undefined;
  /** Whether the system's program for the file may open it. */ readonly mayBeOpened: boolean;
};

/** The stored data of an unfinished download. */
type Begun = {
  readonly owner: string | undefined;
  readonly object: Target;
  readonly path: string;
  readonly known: KnownObject;
};
type Download = Begun & {
  readonly id: number;
  readonly stop: AbortController;
  state: DownloadState;
  bytes: number;
  message: string | undefined;
};

export type DownloadsParts = {
  /** The folder for downloaded files. */
  readonly folder: string;
  /** Stores unfinished downloads, in case the process is killed. */
  readonly memory: PrivateFile<readonly Begun[]>;
  /** The current connection, with the credential of the signed-in person. */
  readonly connection: () => Connection;
  /** Identifies the signed-in person; undefined when nobody is signed in. */
  readonly owner: () => string | undefined;
  /** Called when a download ends while nobody may be watching. */
  readonly onEnd: (status: DownloadStatus) => void;
};

/** The downloads of one account. They continue after a lost connection, after the next sign-in, and after the process was killed. */
export class Downloads {
  readonly #parts: DownloadsParts;
  readonly #downloads = new Map<number, Download>();
  #lastId = 0;
  #loading: Promise<void> | undefined;

  constructor(parts: DownloadsParts) {
    this.#parts = parts;
  }

  /**
   * Begins a download into the person's folder, under the object's name or a similar free name.
   *
   * @throws {SvcError} when the object may not be read.
   */
  async begin(object: Target): Promise<DownloadStatus> {
    await this.#load();
    const { size, etag } = await this.#parts.connection().call('object/head', object);
    for (let number = 1; ; number += 1) {
      const path = join(this.#parts.folder, numberedName(fileNameOf(object.key), number));
      // Nothing is awaited between the second check and the start, which takes the path.
      if ((await stat(path).catch(() => undefined)) === undefined && !this.#isTaken(path))
        return this.#start(object, { size, etag }, path);
    }
  }

  /** Asks for the target file, then begins the download. Undefined when the dialog is closed. The dialog asks before it replaces a file. */
  async beginAs(object: Target, dialog: SaveDialog): Promise<DownloadStatus | undefined> {
    await this.#load();
    const { size, etag } = await this.#parts.connection().call('object/head', object);
    const path = await dialog(join(this.#parts.folder, fileNameOf(object.key)));
    return path === undefined ? undefined : this.#start(object, { size, etag }, path);
  }

  async #start(object: Target, known: KnownObject, path: string): Promise<DownloadStatus> {
    const download = this.#add({ owner: this.#parts.owner(), object, path, known });
    await this.#remember();
    void this.#run(download);
    return statusOf(download);
  }

  async unfinished(): Promise<DownloadStatus[]> {
    await this.#load();
    return this.#own()
      .filter(({ state }) => state === 'running' || state === 'waiting')
      .map(statusOf);
  }

  /** Returns the state of a download, after a short wait if it is unfinished. Undefined when there is none. */
  async status(id: number): Promise<DownloadStatus | undefined> {
    const download = this.#get(id);
    if (download?.state === 'running' || download?.state === 'waiting') await wait(REPORT_MS);
    return download && statusOf(download);
  }

  async cancel(id: number): Promise<void> {
    const download = this.#get(id);
    if (download === undefined || download.state === 'done') return;
    download.state = 'cancelled';
    download.stop.abort();
    await this.#remember();
    await rm(partPath(download.path, download.object, download.known.etag), { force: true });
  }

  /** The file of a finished download. */
  fileOf(id: number): string | undefined {
    const download = this.#get(id);
    return download?.state === 'done' ? download.path : undefined;
  }

  /** Continues downloads that an earlier process began, and downloads that wait for a sign-in. */
  async goOn(): Promise<void> {
    await this.#load();
    for (const download of this.#own()) if (download.state === 'waiting') void this.#run(download);
  }

  close(): void {
    for (const { stop } of this.#downloads.values()) stop.abort();
  }

  #own(): Download[] {
    return [...this.#downloads.values()].filter(({ owner }) => owner === this.#parts.owner());
  }

  /** Finds a download, but none of another person. While nobody is signed in, the page still belongs to the ended session. */
  #get(id: number): Download | undefined {
    const download = this.#downloads.get(id);
    return download !== undefined && this.#isForeign(download) ? undefined : download;
  }

  #isForeign({ owner }: Begun): boolean {
    const now = this.#parts.owner();
    return now !== undefined && now !== owner;
  }

  /** Loads once. The downloads of an earlier process wait for {@link goOn}. */
  #load(): Promise<void> {
    this.#loading ??= this.#parts.memory.read().then((kept = []) => {
      for (const begun of kept) this.#add(begun).state = 'waiting';
    });
    return this.#loading;
  }

  #add(begun: Begun): Download {
    const download: Download = {
      ...begun,
      id: ++this.#lastId,
      stop: new AbortController(),
      state: 'running',
      bytes: 0,
      message: undefined,
    };
    this.#downloads.set(download.id, download);
    return download;
  }

  async #run(download: Download): Promise<void> {
    const {
      object,
      path,
      known,
      stop: { signal },
    } = download;
    const isStopped = (): boolean => signal.aborted;
    download.state = 'running';
    while (!isStopped()) {
      if (this.#isForeign(download)) {
        download.state = 'waiting';
        return;
      }
      download.bytes = 0;
      const connection = this.#parts.connection();
      try {
        await downloadObject(connection, object, known, path, (bytes) => (download.bytes += bytes), signal, {
          retries: 2,
        });
        download.state = 'done';
        break;
      } catch (error) {
        if (isStopped()) return;
        download.message = sentenceOf(error);
        if (codeOf(error) === 'session_required') {
          // Somebody may have signed in while this was tried with the old session.
          if (this.#parts.connection() !== connection) continue;
          download.state = 'waiting';
          return;
        }
        if (!isTransient(error)) {
          download.state = 'failed';
          break;
        }
        await wait(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    await this.#remember();
    this.#parts.onEnd(statusOf(download));
  }

  /** Stores unfinished downloads. Failed ones, for example on a full disk, are tried again at the next start. */
  async #remember(): Promise<void> {
    const open = [...this.#downloads.values()].filter(({ state }) => state !== 'done' && state !== 'cancelled');
    await this.#parts.memory.write(open.map(({ owner, object, path, known }) => ({ owner, object, path, known })));
  }

  /** Whether another download has the path, or one that only some systems tell apart from it. */
  #isTaken(path: string): boolean {
    return [...this.#downloads.values()].some(
      (download) => download.state !== 'cancelled' && folded(download.path) === folded(path),
    );
  }
}

function folded(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase();
}

function statusOf({ id, path, state, bytes, known, message }: Download): DownloadStatus {
  return {
    id,
    name: path.split(/[\\/]/).at(-1)!,
    state,
    bytes,
    size: known.size,
    message: state === 'done' ? undefined : message,
    mayBeOpened: isOpenable(path),
  };
}
