import { readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { stateFolder } from '../client/user-folders.ts';
import type { Environment } from '../config/read/substitute.ts';

/** The folder with the application's own data. */
export function desktopFolder(env: Environment): string {
  return join(stateFolder(env), 'desktop');
}

/** The address of the single instance's socket. */
export function instanceAddress(env: Environment, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32'
    ? `\\\\.\\pipe\\svc-desktop-${userInfo().username}`
    : join(desktopFolder(env), 'instance');
}

/** The person's own folder for downloads. */
export function downloadsFolder(env: Environment): string {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? homedir();
  return namedByDesktop(env, home) ?? join(home, 'Downloads');
}

/** On Linux, this file contains the folder's name, which is in the person's language. */
function namedByDesktop(env: Environment, home: string): string | undefined {
  try {
    const text = readFileSync(join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'user-dirs.dirs'), 'utf8');
    return /^XDG_DOWNLOAD_DIR="(.+)"$/m.exec(text)?.[1]?.replace('$HOME', home);
  } catch {
    return undefined;
  }
}
