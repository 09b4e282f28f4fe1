import { execFile } from 'node:child_process';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../config/read/substitute.ts';
import { isProgram } from './installed-browser.ts';

/** Asks where to save a file, starting at a path. Resolves to undefined when the dialog is closed. */
export type SaveDialog = (path: string) => Promise<string | undefined>;

/** Asks for a folder. Resolves to undefined when the dialog is closed. */
export type FolderDialog = (title: string) => Promise<string | undefined>;

type Dialog = { readonly program: string; readonly args: (given: string) => string[] };

const TO_SAVE: readonly Dialog[] = [
  { program: 'zenity', args: (path) => ['--file-selection', '--save', '--confirm-overwrite', `--filename=${path}`] },
  { program: 'kdialog', args: (path) => ['--getsavefilename', path] },
];
const FOR_A_FOLDER: readonly Dialog[] = [
  { program: 'zenity', args: (title) => ['--file-selection', '--directory', `--title=${title}`] },
  { program: 'kdialog', args: (title) => ['--title', title, '--getexistingdirectory', '.'] },
];

/** The dialog of the Linux desktop: zenity of GNOME, or kdialog of KDE. Undefined when neither is installed, and on other systems. */
export function findSaveDialog(env: Environment, platform?: NodeJS.Platform): SaveDialog | undefined {
  return find(TO_SAVE, env, platform);
}

/** Like {@link findSaveDialog}, for an existing folder. */
export function findFolderDialog(env: Environment, platform?: NodeJS.Platform): FolderDialog | undefined {
  return find(FOR_A_FOLDER, env, platform);
}

function find(
  dialogs: readonly Dialog[],
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): ((given: string) => Promise<string | undefined>) | undefined {
  if (platform !== 'linux') return undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const { program, args } of dialogs) {
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
