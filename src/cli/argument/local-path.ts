import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { DEVICE_NAME } from '../../client/device-name.ts';
import { HeldFolder } from '../../client/held-folder.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';

/** Names that Windows interprets as another file or a stream. */
const NOT_ON_WINDOWS = /[<>:"\\|?*\x00-\x1f]|[. ]$/;

/**
 * The path of an object beneath a folder: the rest of its key, part by part.
 *
 * @throws {CliFailure} when the key cannot be such a path: it has `..`, an empty part, or a name that this system does not support.
 */
export function pathBeneath(folder: string, relativeKey: string, platform: NodeJS.Platform = process.platform): string {
  const parts = relativeKey.split('/');
  const bad = parts.find(
    (part) =>
      part === '' ||
      part === '.' ||
      part === '..' ||
      part.includes('\0') ||
      // Node writes another character for half a character, so that two keys would be one file.
      !part.isWellFormed() ||
      (platform === 'win32' && (NOT_ON_WINDOWS.test(part) || DEVICE_NAME.test(part))),
  );
  if (bad !== undefined) {
    throw new CliFailure(
      EXIT.failed,
      `a part of this key (\`${bad}\`) cannot be a local name; copy it alone, to a name of your choice`,
      'unsafe_name',
    );
  }
  return join(folder, ...parts);
}

/** The same text for all paths that this system treats as one file: on macOS and Windows, names that only differ in case or Unicode composition. */
export function foldedPath(path: string): string {
  const whole = resolve(path);
  return process.platform === 'darwin' || process.platform === 'win32'
    ? whole.normalize('NFC').toUpperCase().toLowerCase()
    : whole;
}

/**
 * The folders into which a run downloads. A target may be a link when the run begins; a link that takes its place later leads out of it.
 */
export class TargetFolders {
  /** Where each target is without links. */
  readonly #tops = new Map<string, Promise<string>>();

  /**
   * Opens the folder of a file, which is created when it is missing. The caller closes it.
   *
   * @param root - the target, in which the folder has to be.
   * @throws {CliFailure} `unsafe_name`: a symbolic link leads out of `root`.
   */
  async open(root: string, folder: string): Promise<HeldFolder> {
    let top = this.#tops.get(root);
    if (top === undefined) {
      top = mkdir(root, { recursive: true }).then(() => realpath(root));
      this.#tops.set(root, top);
    }
    const base = await top;
    // Most files come into a folder that is there, which only has to be checked.
    const held = await HeldFolder.open(folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return makeFolder(base, root, folder);
    });
    try {
      requireWithin(base, held.real, folder);
      return held;
    } catch (error) {
      held.close();
      throw error;
    }
  }
}

async function makeFolder(top: string, root: string, folder: string): Promise<HeldFolder> {
  // Checks the existing part of the path before anything is created beneath it.
  for (let at = folder; resolve(at) !== resolve(root) && at !== dirname(at); at = dirname(at)) {
    if ((await lstat(at).catch(() => undefined)) === undefined) continue;
    requireWithin(top, await realpath(at), at);
    break;
  }
  await mkdir(folder, { recursive: true });
  return HeldFolder.open(folder);
}

function requireWithin(top: string, real: string, path: string): void {
  const base = top.endsWith(sep) ? top : top + sep;
  if (real !== top && !real.startsWith(base))
    throw new CliFailure(
      EXIT.failed,
      `${path} leads out of the target folder by a symbolic link; nothing was written there`,
      'unsafe_name',
    );
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
