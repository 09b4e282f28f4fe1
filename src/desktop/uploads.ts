import { stat } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Connection } from '../client/connection.ts';
import { localFile, type FileId } from '../client/local-file.ts';
import { ticketTransport } from '../client/ticket-transport.ts';
import { walk } from '../client/walk.ts';
import { catalogue } from '../errors/catalogue.ts';
import { SvcError } from '../errors/svc-error.ts';
import { failureOf, fileChanged, isTransient, type Failure } from '../transfer/failure.ts';
import type { MultipartUpload, FileFingerprint, ResumeStore } from '../transfer/resume-store.ts';
import { abandonUpload } from '../transfer/send-in-parts.ts';
import { sendUpload } from '../transfer/send.ts';
import type { Target, WhenTaken } from '../transfer/transport.ts';
import { Journal } from './journal.ts';
import { sentenceOf } from './sentence.ts';

const REQUESTS_AT_ONCE = 4;
/** Leaves a request slot for small files next to a large one. */
const PARTS_AT_ONCE = 3;
const AGAIN_MS = 5_000;

/**
 * A file that a person gave to the page, as the page sees it. `path` is its name with the folders in which it was given. It ends with `/` for an empty folder.
 */
export type TakenFile = {
  readonly id: number;
  readonly path: string;
  readonly size: number;
  readonly lastModified: number;
};
/** The result for one item that a person gave. `leftOut` counts symbolic links and unreadable files. */
export type Taken = { readonly files: readonly TakenFile[]; readonly leftOut: number };

/** An upload that an earlier page began. `name` contains no folder of this computer. */
export type UnfinishedUpload = FileFingerprint & {
  readonly id: number;
  readonly target: Target;
  readonly whenTaken: WhenTaken;
};

type Given = FileId & {
  readonly owner: string;
  readonly path: string;
  readonly size: number;
  readonly lastModified: number;
};
/** The stored data of an upload. Without a target it is not planned yet. When it was given up, its parts still have to be deleted. */
type Kept = Given & {
  readonly target?: Target;
  readonly whenTaken: WhenTaken;
  readonly begun?: MultipartUpload;
  readonly isGivenUp?: true;
};
type Run = {
  readonly stop: AbortController;
  readonly ended: Promise<Failure | undefined>;
  readonly progress: UploadProgress;
};
/** `failure` is a passing failure after which the upload waits to retry. */
export type UploadProgress = { sentBytes: number; failure: Failure | undefined };

export type UploadsParts = {
  /** The file that stores unfinished uploads, in case the process is killed. */
  readonly journal: string;
  /** The current connection, with the credential of the signed-in person. */
  readonly connection: () => Connection;
  /** Identifies the signed-in person; undefined when nobody is signed in. */
  readonly owner: () => string | undefined;
};

/**
 * The uploads of one account: files of this computer that a person dropped or chose. The page identifies them by number, and decides when each is sent and what
 * to do when a name is taken. Only the main process knows their paths and the way to storage.
 *
 * It is one file, because taking, sending, pausing and giving up change the same entry of each upload.
 */
export class Uploads {
  readonly #parts: UploadsParts;
  readonly #journal: Journal<Kept>;
  readonly #requests = pLimit(REQUESTS_AT_ONCE);
  readonly #uploads: Map<number, Kept>;
  readonly #runs = new Map<number, Run>();
  #lastId: number;

  constructor(parts: UploadsParts) {
    this.#parts = parts;
    this.#journal = new Journal(parts.journal);
    this.#uploads = this.#journal.open();
    this.#lastId = Math.max(0, ...this.#uploads.keys());
  }

  /**
   * @param paths - of the files that a person gave, as the browser knows them; empty for anything that is no file of this computer.
   * @returns null for each item that the page has to read itself.
   */
  async take(paths: readonly string[]): Promise<(Taken | null)[]> {
    const owner = this.#parts.owner();
    if (owner === undefined) return paths.map(() => null);
    return Promise.all(paths.map((path) => this.#takeOne(owner, path)));
  }

  /** Sets the targets. From now on the uploads are stored. */
  plan(targets: readonly (readonly [id: number, target: Target])[]): void {
    const planned = targets.map(([id, target]): [number, Kept] => [id, { ...this.#own(id), target }]);
    for (const [id, kept] of planned) this.#uploads.set(id, kept);
    this.#journal.set(planned);
  }

  /** The unfinished uploads of the signed-in person. */
  unfinished(): UnfinishedUpload[] {
    const owner = this.#parts.owner();
    return [...this.#uploads].flatMap(([id, { owner: by, path, size, lastModified, target, whenTaken, isGivenUp }]) => {
      if (by !== owner || target === undefined) return [];
      if (isGivenUp) void this.#drop(id);
      return isGivenUp ? [] : [{ id, name: basename(path), size, lastModified, target, whenTaken }];
    });
  }

  /**
   * Sends a file, and continues through lost connections. A second call joins the first one.
   *
   * @returns why it was not stored; undefined when it was.
   */
  async send(id: number, target: Target, whenTaken: WhenTaken): Promise<Failure | undefined> {
    const before = this.#runs.get(id);
    if (before !== undefined && !before.stop.signal.aborted) return before.ended;
    await before?.ended;
    if (this.#parts.owner() === undefined)
      return { code: 'session_required', detail: catalogue.session_required.title };
    const { owner, path, dev, ino, size, lastModified, target: old, begun } = this.#own(id);
    const isSame = old !== undefined && isSamePlace(old, target);
    this.#set(id, {
      owner,
      path,
      dev,
      ino,
      size,
      lastModified,
      target,
      whenTaken,
      ...(isSame && begun !== undefined && { begun }),
    });
    const stop = new AbortController();
    const progress: UploadProgress = { sentBytes: 0, failure: undefined };
    const ended = this.#run(id, stop.signal, progress).then(() => undefined, failureForPage);
    this.#runs.set(id, { stop, ended, progress });
    const failure = await ended;
    if (this.#runs.get(id)?.stop === stop) this.#runs.delete(id);
    return failure;
  }

  progress(id: number): UploadProgress | undefined {
    return this.#runs.get(id)?.progress;
  }

  /** Pauses an upload. Parts that have arrived stay. */
  pause(id: number): void {
    this.#runs.get(id)?.stop.abort();
  }

  /** Deletes the parts that have arrived and forgets the file. It may still be sent again. */
  async giveUp(id: number): Promise<void> {
    const kept = this.#own(id);
    this.pause(id);
    await this.#runs.get(id)?.ended;
    if (kept.target === undefined || !this.#uploads.has(id)) return;
    this.#set(id, { ...this.#uploads.get(id)!, isGivenUp: true });
    await this.#drop(id);
  }

  close(): void {
    for (const id of this.#runs.keys()) this.pause(id);
  }

  async #takeOne(owner: string, path: string): Promise<Taken | null> {
    const found = path === '' ? undefined : await stat(path).catch(() => undefined);
    const name = basename(path);
    const give = (
      at: string,
      under: string,
      { size, mtimeMs, dev, ino }: FileId & { readonly size: number; readonly mtimeMs: number },
    ): TakenFile => {
      const id = ++this.#lastId;
      this.#uploads.set(id, { owner, path: at, dev, ino, size, lastModified: mtimeMs, whenTaken: 'refuse' });
      return { id, path: under, size, lastModified: mtimeMs };
    };
    if (found?.isFile() === true) return { files: [give(path, name, found)], leftOut: 0 };
    if (found?.isDirectory() !== true) return null;
    const files: TakenFile[] = [];
    let leftOut = 0;
    for await (const one of walk(path)) {
      const under = [name, ...relative(path, one.path).split(sep)].filter((part) => part !== '').join('/');
      if ('size' in one) files.push(give(one.path, under, one));
      else if ('isEmptyFolder' in one) files.push({ id: 0, path: `${under}/`, size: 0, lastModified: 0 });
      else leftOut += 1;
    }
    return { files, leftOut };
  }

  async #run(id: number, signal: AbortSignal, progress: UploadProgress): Promise<void> {
    for (;;) {
      // The session may have ended while this waited. It continues after the next sign-in of the same person.
      if (this.#parts.owner() === undefined) throw new SvcError('session_required');
      const { path, dev, ino, size, lastModified, target, whenTaken } = this.#own(id);
      const connection = this.#parts.connection();
      try {
        const file = await localFile(path);
        if (file.size !== size || file.lastModified !== lastModified || file.dev !== dev || file.ino !== ino)
          throw fileChanged();
        await sendUpload(
          { file, target: target!, whenTaken },
          {
            transport: ticketTransport(connection),
            resumeStore: this.#resumeStoreOf(id),
            requests: this.#requests,
            partsAtOnce: PARTS_AT_ONCE,
            signal,
            onSent: (bytes) => {
              if (bytes > progress.sentBytes) progress.failure = undefined;
              progress.sentBytes = bytes;
            },
            onRetry: (failure) => (progress.failure = failure),
          },
        );
        this.#uploads.delete(id);
        this.#journal.delete(id);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const { code } = failureOf(error);
        // Somebody may have signed in while this was tried with the old session.
        if (code === 'session_required' && this.#parts.connection() !== connection) continue;
        if (!isTransient(error)) throw error;
        progress.failure = failureForPage(error);
        await wait(AGAIN_MS, undefined, { signal });
      }
    }
  }

  /** The parts of one upload, which are stored with it. */
  #resumeStoreOf(id: number): ResumeStore {
    return {
      find: async () => {
        const begun = this.#uploads.get(id)?.begun;
        return begun && { ...begun, isCurrent: true };
      },
      remember: async (_file, _target, begun) => this.#set(id, { ...this.#uploads.get(id)!, begun }),
      forget: async () => {
        const { begun: _begun, ...kept } = this.#uploads.get(id)!;
        this.#set(id, kept);
      },
    };
  }

  /** Deletes a given-up upload from storage and from the journal. If that fails now, it is done at the next start. */
  async #drop(id: number): Promise<void> {
    const { path, size, lastModified, target } = this.#uploads.get(id)!;
    const file = { name: path, size, lastModified, contentType: '' };
    await abandonUpload(
      { file, target: target! },
      { transport: ticketTransport(this.#parts.connection()), resumeStore: this.#resumeStoreOf(id) },
    );
    const kept = this.#uploads.get(id);
    if (kept?.isGivenUp !== true || kept.begun !== undefined) return;
    const { target: _target, isGivenUp: _isGivenUp, ...given } = kept;
    this.#uploads.set(id, given);
    this.#journal.delete(id);
  }

  /** An upload of the signed-in person; the page gets no other. */
  #own(id: number): Kept {
    const kept = this.#uploads.get(id);
    if (kept === undefined || kept.owner !== this.#parts.owner()) throw new Error('there is no such upload');
    return kept;
  }

  #set(id: number, kept: Kept): void {
    this.#uploads.set(id, kept);
    this.#journal.set([[id, kept]]);
  }
}

function isSamePlace(a: Target, b: Target): boolean {
  return a.provider === b.provider && a.bucket === b.bucket && a.key === b.key;
}

/** A failure for the page, without paths of this computer. */
export function failureForPage(error: unknown): Failure {
  const failure = failureOf(error);
  // The system's own messages name the file.
  if ((error as NodeJS.ErrnoException).path !== undefined)
    return { code: 'file_unreadable', detail: `the file cannot be read (${failure.code}); is it still there?` };
  return { ...failure, detail: sentenceOf(error) };
}
