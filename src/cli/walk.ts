import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliFailure, EXIT } from './cli-failure.ts';

/** A file; or what is left out, or cannot be read, and why. */
export type Walked = { readonly path: string } & ({ readonly size: number } | { readonly why: string } | { readonly error: unknown });

/** Every file beneath a folder. Symbolic links are not followed: they could lead out of it, or round in circles. */
export async function* walk(folder: string): AsyncGenerator<Walked, void, void> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* walk(path);
      else if (entry.isFile()) yield await fileAt(path);
      else yield { path, why: entry.isSymbolicLink() ? 'a symbolic link, which is not followed' : 'not a file' };
    }
  } catch (error) {
    yield { path: folder, error };
  }
}

async function fileAt(path: string): Promise<Walked> {
  try {
    return { path, size: (await stat(path)).size };
  } catch (error) {
    // Bytes that are no UTF-8 were replaced when the name was read, and no file has the name that is left.
    const reason = path.includes('\ufffd') ? new CliFailure(EXIT.failed, 'its name, or that of a folder around it, is not UTF-8; rename it', 'unsafe_name') : error;
    return { path, error: reason };
  }
}
