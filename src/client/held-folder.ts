import { constants, type Stats } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { ClientFailure } from './client-failure.ts';

/** Opens a folder on Linux without reading it: also one that may only be written. */
const O_PATH = 0x200000;

/**
 * A folder in which files appear over hours. Somebody else who may write around it could meanwhile put a link to another folder in its place, through which nothing
 * is written.
 */
export class HeldFolder {
  /** Where it was when it was opened, without links. */
  readonly real: string;
  readonly #path: string;
  readonly #id: Pick<Stats, 'dev' | 'ino'>;
  readonly #handle: FileHandle | undefined;

  private constructor(path: string, real: string, id: Pick<Stats, 'dev' | 'ino'>, handle?: FileHandle) {
    this.#path = path;
    this.real = real;
    this.#id = id;
    this.#handle = handle;
  }

  /** Opens the folder to which a path leads now, which may be a link. The caller closes it. */
  static async open(path: string): Promise<HeldFolder> {
    // Elsewhere, what is in an opened folder has no path, so that a moment remains between a look at the path and its use.
    if (process.platform === 'linux') {
      const handle = await open(path, O_PATH | constants.O_DIRECTORY);
      try {
        return new HeldFolder(path, await readlink(pathOf(handle)), await handle.stat(), handle);
      } catch {
        await handle.close();
      }
    }
    return new HeldFolder(path, await realpath(path), await stat(path));
  }

  /**
   * Works in the folder.
   *
   * @param work - is given a path of the folder that stays with it. The faults of Node that it throws are told by the path that was opened.
   * @throws {ClientFailure} `file_changed`: the path leads elsewhere by now.
   */
  async use<T>(work: (at: string) => Promise<T>): Promise<T> {
    await this.#requireInPlace();
    const at = this.#handle === undefined ? this.real : pathOf(this.#handle);
    try {
      return await work(at);
    } catch (error) {
      if (error instanceof Error && 'path' in error && typeof error.path === 'string') {
        error.message = error.message.replaceAll(at, this.#path);
        error.path = error.path.replace(at, this.#path);
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #requireInPlace(): Promise<void> {
    const path = this.#path;
    const now = await stat(path).catch(() => undefined);
    const real = await realpath(path).catch(() => undefined);
    if (now?.dev !== this.#id.dev || now.ino !== this.#id.ino || real !== this.real)
      throw new ClientFailure(
        `\`${path}\` is no longer the folder that it was when this began; see who changed it, and copy again`,
        'file_changed',
      );
  }
}

/** A path that leads to what was opened, wherever it is now. */
function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}
