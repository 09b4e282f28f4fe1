import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { ClientFailure } from './client-failure.ts';
import { HeldPlace } from './held-place.ts';

/**
 * A folder in which files appear over hours. Somebody else who may write around it could meanwhile put a link to another folder in its place, through which nothing
 * is written.
 */
export class HeldFolder {
  /** Where it was when it was opened, without links. */
  readonly real: string;
  readonly #path: string;
  readonly #held: HeldPlace | Pick<Stats, 'dev' | 'ino'>;

  private constructor(path: string, real: string, held: HeldPlace | Pick<Stats, 'dev' | 'ino'>) {
    this.#path = path;
    this.real = real;
    this.#held = held;
  }

  /** Opens the folder to which a path leads now, which may be a link. The caller closes it. */
  static async open(path: string): Promise<HeldFolder> {
    // Elsewhere, what is in an opened folder has no path, so that a moment remains between a look at the path and its use.
    if (process.platform === 'linux') {
      const place = await HeldPlace.openFolder(path);
      const { real } = place;
      if (real !== undefined) return new HeldFolder(path, real, place);
      place.close();
    }
    return new HeldFolder(path, await realpath(path), await stat(path));
  }

  /**
   * Works in the folder.
   *
   * @param work - is given a path of the folder that stays with it. The faults of Node that it throws are told by the path that was opened.
   * @throws {ClientFailure} `file_changed`: the folder is elsewhere by now, or another one is in its place.
   */
  async use<T>(work: (at: string) => Promise<T>): Promise<T> {
    if (!(await this.#isInPlace()))
      throw new ClientFailure(
        `\`${this.#path}\` is no longer the folder that it was when this began; see who changed it, and copy again`,
        'file_changed',
      );
    const at = this.#held instanceof HeldPlace ? this.#held.path : this.real;
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

  close(): void {
    if (this.#held instanceof HeldPlace) this.#held.close();
  }

  async #isInPlace(): Promise<boolean> {
    if (this.#held instanceof HeldPlace) return this.#held.real === this.real;
    const now = await stat(this.#path).catch(() => undefined);
    const real = await realpath(this.#path).catch(() => undefined);
    return now?.dev === this.#held.dev && now.ino === this.#held.ino && real === this.real;
  }
}
