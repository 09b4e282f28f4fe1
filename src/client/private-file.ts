import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A small JSON file of the user alone (mode 0600). A missing or broken file reads as `undefined`. */
export class PrivateFile<T> {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async read(): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8')) as T;
    } catch {
      return undefined;
    }
  }

  /** Writes the whole file or nothing: another process that reads at the same time sees the old content. */
  async write(value: T): Promise<void> {
    await writePrivately(this.path, `${JSON.stringify(value, null, 2)}\n`);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** Writes a whole file of the user alone (mode 0600), or nothing. */
export async function writePrivately(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
