import { closeSync, constants, fstatSync, open, readlinkSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';

/** Opens a place without reading it: a link itself, a file that may not be read, and a folder that may only be written. */
const O_PATH = 0x200000;

const openPlace = promisify(open);

/**
 * A place on Linux that stays the same one, wherever it is moved. What is asked of it is answered from memory, so it is asked synchronously: a task for a thread
 * would cost many times as much.
 */
export class HeldPlace {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens what is at a path. The caller closes it. @param flags - such as `O_NOFOLLOW`, with which a link itself is opened. */
  static async open(path: string, flags: number): Promise<HeldPlace> {
    return new HeldPlace(await openPlace(path, O_PATH | flags));
  }

  /** Opens the folder to which a path leads, which may be a link. */
  static openFolder(path: string): Promise<HeldPlace> {
    return HeldPlace.open(path, constants.O_DIRECTORY);
  }

  get stats(): Stats {
    return fstatSync(this.#fd);
  }

  /** A path that leads here, wherever that is. */
  get path(): string {
    return `/proc/self/fd/${this.#fd}`;
  }

  /** Where it is now, without links; undefined where the system does not tell it. */
  get real(): string | undefined {
    try {
      return readlinkSync(this.path);
    } catch {
      return undefined;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
