import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { CliFailure, EXIT } from './cli-failure.ts';

/** What Windows takes for another file, a stream or a device. */
const NOT_ON_WINDOWS = /[<>:"\\|?*\x00-\x1f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Where an object lands beneath a folder: the rest of its key, part by part.
 *
 * @throws {CliFailure} when the key is no path beneath: it has `..`, an empty part, or a name that this system does not have.
 */
export function pathBeneath(folder: string, relativeKey: string, platform: NodeJS.Platform = process.platform): string {
  const parts = relativeKey.split('/');
  const bad = parts.find((part) => part === '' || part === '.' || part === '..' || part.includes('\0') || (platform === 'win32' && NOT_ON_WINDOWS.test(part)));
  if (bad !== undefined) {
    throw new CliFailure(EXIT.failed, `a part of this key (\`${bad}\`) cannot be a local name; copy it alone, to a name of your choice`, 'unsafe_name');
  }
  return join(folder, ...parts);
}

/** One text for all paths that this system takes for one file: on macOS and Windows, names that differ only in case or composition. */
export function foldedPath(path: string): string {
  const whole = resolve(path);
  return process.platform === 'darwin' || process.platform === 'win32' ? whole.normalize('NFC').toUpperCase().toLowerCase() : whole;
}

/**
 * Makes the folder that a file goes to, and checks that no symbolic link on the way leads out of `root`.
 *
 * @throws {CliFailure}
 */
export async function makeFolderWithin(root: string, folder: string): Promise<void> {
  await mkdir(root, { recursive: true });
  const top = await realpath(root);
  // Existing parts are looked at before anything is made beneath them, on whichever side of a link.
  for (let at = folder; at !== root && at !== dirname(at); at = dirname(at)) {
    if ((await lstat(at).catch(() => undefined)) === undefined) continue;
    requireWithin(top, await realpath(at), at);
    break;
  }
  await mkdir(folder, { recursive: true });
  requireWithin(top, await realpath(folder), folder);
}

function requireWithin(top: string, real: string, path: string): void {
  const base = top.endsWith(sep) ? top : top + sep;
  if (real !== top && !real.startsWith(base)) throw new CliFailure(EXIT.failed, `${path} leads out of the target folder by a symbolic link; nothing was written there`, 'unsafe_name');
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
