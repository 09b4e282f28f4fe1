import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../config/read/substitute.ts';

/** The folder of the user's settings: `$XDG_CONFIG_HOME/svc`, otherwise `~/.config/svc`. */
export function configFolder(env: Environment): string {
  return folderOf(env, 'XDG_CONFIG_HOME', '.config');
}

/** The folder of data that the program keeps between runs: `$XDG_STATE_HOME/svc`, otherwise `~/.local/state/svc`. */
export function stateFolder(env: Environment): string {
  return folderOf(env, 'XDG_STATE_HOME', join('.local', 'state'));
}

function folderOf(env: Environment, variable: string, inHome: string): string {
  const base = env[variable];
  return join(base !== undefined && base.startsWith('/') ? base : join(homeFolder(env), inHome), 'svc');
}

export function homeFolder(env: Environment): string {
  return env['HOME'] ?? homedir();
}
