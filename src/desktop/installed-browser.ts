import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { ClientFailure } from '../client/client-failure.ts';
import type { Environment } from '../config/read/substitute.ts';

/** In the order in which they are tried. */
const LINUX = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
];
const MACOS = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'].map(
  (name) => `${name}.app/Contents/MacOS/${name}`,
);
const WINDOWS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/** Where browsers of the Chromium family may be installed on this system. */
export function browserPaths(platform: NodeJS.Platform, env: Environment): string[] {
  if (platform === 'darwin')
    return ['/Applications', join(env['HOME'] ?? '', 'Applications')].flatMap((folder) =>
      MACOS.map((name) => join(folder, name)),
    );
  if (platform === 'win32')
    return [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']].flatMap((folder) =>
      folder === undefined ? [] : WINDOWS.map((name) => `${folder}\\${name}`),
    );
  const folders = [
    ...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute),
    '/usr/bin',
    '/snap/bin',
    '/var/lib/flatpak/exports/bin',
  ];
  return [
    ...LINUX.flatMap((name) => folders.map((folder) => join(folder, name))),
    '/var/lib/flatpak/exports/bin/org.chromium.Chromium',
    '/var/lib/flatpak/exports/bin/com.google.Chrome',
  ];
}

/**
 * Finds the browser for the windows.
 *
 * @param chosen - from `--browser`; otherwise the first installed one.
 * @throws {ClientFailure} when there is none.
 */
export function findBrowser(
  chosen: string | undefined,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  if (chosen !== undefined) {
    if (isProgram(chosen)) return chosen;
    throw new ClientFailure(
      `there is no program at \`${chosen}\`; give the path of Chromium, Chrome or Edge to \`--browser\``,
      'usage',
    );
  }
  const found = browserPaths(platform, env).find(isProgram);
  if (found === undefined)
    throw new ClientFailure(
      'no browser was found that can draw the window; install Chromium, Chrome or Edge, or give its path with `--browser`',
      'no_browser',
    );
  return found;
}

/** Whether the path is a file that this user may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
