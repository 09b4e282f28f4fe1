import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Shows and selects a file in the system's file manager; if that fails, opens its folder. */
export async function reveal(
  file: string,
  openFolder: (path: string) => void,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  const [program, ...args] = revealCommand(file, platform);
  // The file manager of Windows exits with 1 after a success.
  const failed = await new Promise<boolean>(
    (resolve) => void execFile(program, args, (error) => resolve(error !== null && platform !== 'win32')),
  );
  if (failed) openFolder(dirname(file));
}

/** @see https://www.freedesktop.org/wiki/Specifications/file-manager-interface/ */
export function revealCommand(file: string, platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === 'darwin') return ['open', '-R', file];
  if (platform === 'win32') return ['explorer', `/select,${file}`];
  return [
    'dbus-send',
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.FileManager1',
    '--type=method_call',
    '/org/freedesktop/FileManager1',
    'org.freedesktop.FileManager1.ShowItems',
    `array:string:${pathToFileURL(file).href}`,
    'string:',
  ];
}
