import { constants, type Stats } from 'node:fs';
import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fileChanged } from '../transfer/failure.ts';
import { ClientFailure } from './client-failure.ts';
import { HeldPlace } from './held-place.ts';

/** A file; an empty folder; or something that is skipped or unreadable, with the reason. */
export type Walked = { readonly path: string } & (
  | { readonly size: number; readonly mtimeMs: number; readonly dev: number; readonly ino: number }
  | { readonly isEmptyFolder: true }
  | { readonly why: string }
  | { readonly error: unknown }
);

const A_LINK = 'a symbolic link, which is not followed';

/**
 * Yields every file beneath a folder. Symbolic links are not followed, because they could lead out of it or in circles. That is checked when an entry is given, which
 * may be long after its name was read: somebody else who may write there could have put a link in its place.
 *
 * @param folder - may be a link itself.
 * @param isIgnored - whether to skip an entry of this name with everything in it, without reporting it.
 */
export function walk(
  folder: string,
  isIgnored: (name: string) => boolean = () => false,
): AsyncGenerator<Walked, void, void> {
  return walkBeneath(folder, undefined, isIgnored);
}

/** @param real - the path of the folder when no part of it has become a link; undefined for the folder that was named. */
async function* walkBeneath(
  folder: string,
  real: string | undefined,
  isIgnored: (name: string) => boolean,
): AsyncGenerator<Walked, void, void> {
  let isEmpty = true;
  try {
    const top = await realpath(folder);
    if (real !== undefined && top !== real) {
      yield { path: folder, why: A_LINK };
      return;
    }
    for await (const entry of await opendir(top)) {
      isEmpty = false;
      if (isIgnored(entry.name)) continue;
      const path = join(folder, entry.name);
      const at = join(top, entry.name);
      if (entry.isDirectory()) yield* walkBeneath(path, at, isIgnored);
      else if (entry.isFile()) yield await fileAt(path, at);
      else yield { path, why: entry.isSymbolicLink() ? A_LINK : 'not a file' };
    }
    if (isEmpty) yield { path: folder, isEmptyFolder: true };
  } catch (error) {
    yield { path: folder, error };
  }
}

async function fileAt(path: string, real: string): Promise<Walked> {
  try {
    const { stats, at } = await whatIsAt(real);
    if (at !== real || stats.isSymbolicLink()) return { path, why: A_LINK };
    const { size, mtimeMs, dev, ino } = stats;
    return stats.isFile() ? { path, size, mtimeMs, dev, ino } : { path, why: 'not a file' };
  } catch (error) {
    // Bytes that are not UTF-8 were replaced when the name was read, so no file has the resulting name.
    const reason = path.includes('\ufffd')
      ? new ClientFailure('its name, or that of a folder around it, is not UTF-8; rename it', 'unsafe_name')
      : error;
    return { path, error: reason };
  }
}

/**
 * What is at a path now, and where that is without links. Somebody may swap a folder on the path with a link all the time, so Linux is asked where the opened place
 * is: two looks at the path may see different things.
 */
async function whatIsAt(path: string): Promise<{ readonly stats: Stats; readonly at: string }> {
  if (process.platform !== 'linux') return { stats: await lstat(path), at: await realpath(path) };
  const place = await HeldPlace.open(path, constants.O_NOFOLLOW);
  try {
    const { stats, real } = place;
    if (stats.nlink === 0) throw fileChanged();
    return { stats, at: real ?? (await realpath(path)) };
  } finally {
    place.close();
  }
}
