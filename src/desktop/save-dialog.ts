import { execFile } from 'node:child_process';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../config/substitute.ts';
import { isProgram } from './installed-browser.ts';

/** Asks where a file is to be saved, beginning at a path. Resolves with nothing when the dialog is closed. */
export type SaveDialog = (path: string) => Promise<string | undefined>;

const DIALOGS: readonly { readonly program: string; readonly args: (path: string) => string[] }[] = [
  { program: 'zenity', args: (path) => ['--file-selection', '--save', '--confirm-overwrite', `--filename=${path}`] },
  { program: 'kdialog', args: (path) => ['--getsavefilename', path] },
];

/** The dialog of the Linux desktop: zenity of GNOME, or kdialog of KDE. Undefined where neither is installed, and on other systems. */
export function findSaveDialog(env: Environment, platform: NodeJS.Platform = process.platform): SaveDialog | undefined {
  if (platform !== 'linux') return undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const { program, args } of DIALOGS) {
    const path = folders.map((folder) => join(folder, program)).find(isProgram);
    if (path !== undefined) return (from) => ask(path, args(from), env);
  }
  return undefined;
}

function ask(program: string, args: readonly string[], env: Environment): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [...args], { env }, (error, stdout) => {
      const chosen = stdout.replace(/\n$/, '');
      resolve(error === null && isAbsolute(chosen) ? chosen : undefined);
    });
  });
}
