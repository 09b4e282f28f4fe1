import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';

/** Stored in place of a picture that cannot be drawn. */
export const UNDRAWABLE = Buffer.from('undrawable');

/** Bytes of a disk block; a file uses whole blocks. */
const BLOCK = 4096;
/** The name of a subfolder: the first two digits of the names of its pictures. */
const PART = /^[0-9a-f]{2}$/;
const NAME = /^[0-9a-f]{64}$/;
const UNFINISHED = /^[0-9a-f]{64}\..*\.part$/;

/** Drawn pictures in a folder, named by digests. When they exceed `maxBytes`, the least recently used are deleted. */
export class PictureStore {
  readonly #folder: string;
  readonly #sizes: LRUCache<string, number>;
  #opened: Promise<void> | undefined;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#sizes = new LRUCache({
      maxSize: Math.max(maxBytes, BLOCK),
      sizeCalculation: (bytes) => Math.ceil(bytes / BLOCK) * BLOCK,
      dispose: (_bytes, name, why) => {
        if (why !== 'set') void rm(this.#fileOf(name), { force: true }).catch(() => undefined);
      },
    });
  }

  /** @param name - 64 hexadecimal digits. @returns undefined when there is no such picture. */
  async get(name: string): Promise<Buffer | undefined> {
    await this.#open();
    if (this.#sizes.get(name) === undefined) return undefined;
    const picture = await readFile(this.#fileOf(name)).catch(() => undefined);
    if (picture !== undefined && (picture.equals(UNDRAWABLE) || isWhole(picture))) return picture;
    this.#sizes.delete(name);
    return undefined;
  }

  async put(name: string, picture: Buffer): Promise<void> {
    await this.#open();
    const file = this.#fileOf(name);
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
    const part = `${file}.${randomUUID()}.part`;
    try {
      await writeFile(part, picture, { mode: 0o600, flag: 'wx' });
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    this.#sizes.set(name, picture.length);
  }

  /** After a failure, the next call tries again, because the disk may be mounted later. */
  #open(): Promise<void> {
    return (this.#opened ??= this.#find().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    }));
  }

  /** Finds the pictures of an earlier process. Other folders, such as `lost+found`, and other files are ignored. */
  async #find(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const found: { readonly name: string; readonly size: number; readonly time: number }[] = [];
    for (const part of (await readdir(this.#folder)).filter((name) => PART.test(name))) {
      for (const name of await readdir(join(this.#folder, part))) {
        const file = join(this.#folder, part, name);
        if (UNFINISHED.test(name)) await rm(file, { force: true });
        // Another process that uses this folder may have deleted the file meanwhile.
        const state = NAME.test(name) ? await stat(file).catch(() => undefined) : undefined;
        if (state !== undefined) found.push({ name, size: state.size, time: state.mtimeMs });
      }
    }
    for (const { name, size } of found.sort((a, b) => a.time - b.time)) this.#sizes.set(name, Math.max(size, 1));
  }

  #fileOf(name: string): string {
    return join(this.#folder, name.slice(0, 2), name);
  }
}

/** Whether a WebP has the length that its header gives. A file may be truncated, for example by a power loss. */
function isWhole(picture: Buffer): boolean {
  return picture.length > 12 && picture.readUInt32LE(4) + 8 === picture.length;
}
