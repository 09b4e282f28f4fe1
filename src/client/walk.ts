import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientFailure } from './client-failure.ts';

/** A file; an empty folder; or something that is skipped or unreadable, with the reason. */
export type Walked = { readonly path: string } & (
  | { readonly size: number; readonly mtimeMs: number; readonly dev: number; readonly ino: number }
  | { readonly isEmptyFolder: true }
  | { readonly why: string }
  | { readonly error: unknown }
);

/**
 * Yields every file beneath a folder. Symbolic links are not followed, because they could lead out of it or in circles.
 *
 * @param isIgnored - whether to skip an entry of this name with everything in it, without reporting it.
 */
export async function* walk(
  folder: string,
  isIgnored: (name: string) => boolean = () => false,
): AsyncGenerator<Walked, void, void> {
  let isEmpty = true;
  try {
    for await (const entry of await opendir(folder)) {
      isEmpty = false;
      if (isIgnored(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* walk(path, isIgnored);
      else if (entry.isFile()) yield await fileAt(path);
      else yield { path, why: entry.isSymbolicLink() ? 'a symbolic link, which is not followed' : 'not a file' };
    }
    if (isEmpty) yield { path: folder, isEmptyFolder: true };
  } catch (error) {
    yield { path: folder, error };
  }
}

async function fileAt(path: string): Promise<Walked> {
  try {
    const { size, mtimeMs, dev, ino } = await stat(path);
    return { path, size, mtimeMs, dev, ino };
  } catch (error) {
    // Bytes that are not UTF-8 were replaced when the name was read, so no file has the resulting name.
    const reason = path.includes('\ufffd')
      ? new ClientFailure('its name, or that of a folder around it, is not UTF-8; rename it', 'unsafe_name')
      : error;
    return { path, error: reason };
  }
}
