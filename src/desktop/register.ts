import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ClientFailure } from '../client/client-failure.ts';
import type { Environment } from '../config/read/substitute.ts';

const NAME = 'svc.desktop';

export type Registration = {
  /** The program that starts the application, and its arguments. */
  readonly command: readonly string[];
  readonly icon: string;
};

/**
 * Adds the application to the system's menu, and registers it for `svc://` addresses, for this user.
 *
 * @returns a description of what was done, for the person.
 * @throws {ClientFailure} when this system is not supported.
 */
export async function register(
  registration: Registration,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  if (platform === 'linux') return registerByFile(registration, env);
  if (platform === 'win32') return registerInRegistry(registration, env);
  throw new ClientFailure(
    'this system hands `svc://` addresses to signed application bundles alone; give the address to `svc desktop` instead',
    'not_supported',
  );
}

/** @see https://specifications.freedesktop.org/desktop-entry-spec/latest/ */
export function desktopEntry({ command, icon }: Registration): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=svc',
    'Comment=Object storage',
    `Exec=${command.map(quoted).join(' ')} %u`,
    `Icon=${icon}`,
    'Categories=Network;FileTransfer;',
    'MimeType=x-scheme-handler/svc;',
    'StartupNotify=true',
    '',
  ].join('\n');
}

/** Escapes an argument, and then the value that contains it. */
function quoted(word: string): string {
  if (/^[\w./:@-]+$/.test(word)) return word;
  return `"${word
    .replace(/["`$\\]/g, '\\$&')
    .replace(/\\/g, '\\\\')
    .replace(/%/g, '%%')}"`;
}

async function registerByFile(registration: Registration, env: Environment): Promise<string> {
  const folder = join(env['XDG_DATA_HOME'] ?? join(env['HOME'] ?? homedir(), '.local/share'), 'applications');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, NAME), desktopEntry(registration));
  // Without these programs the file is enough on most desktops.
  await run('xdg-mime', ['default', NAME, 'x-scheme-handler/svc'], env);
  await run('update-desktop-database', [folder], env);
  return `svc is in the menu and opens \`svc://\` addresses (${join(folder, NAME)})`;
}

async function registerInRegistry({ command, icon }: Registration, env: Environment): Promise<string> {
  const key = 'HKCU\\Software\\Classes\\svc';
  const line = [...command.map((word) => `"${word}"`), '"%1"'].join(' ');
  for (const args of [
    [key, '/ve', '/d', 'URL:svc'],
    [key, '/v', 'URL Protocol', '/d', ''],
    [`${key}\\DefaultIcon`, '/ve', '/d', icon],
    [`${key}\\shell\\open\\command`, '/ve', '/d', line],
  ]) {
    if (!(await run('reg', ['add', ...args, '/f'], env)))
      throw new ClientFailure('the registry took no entry for `svc://` addresses', 'not_supported');
  }
  return 'svc opens `svc://` addresses';
}

function run(program: string, args: readonly string[], env: Environment): Promise<boolean> {
  return new Promise((resolve) => void execFile(program, [...args], { env }, (error) => resolve(error === null)));
}
