import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../config/substitute.ts';

/** What the user chose: `$XDG_CONFIG_HOME/svc`, else `~/.config/svc`. */
export function configFolder(env: Environment): string {
  return folderOf(env, 'XDG_CONFIG_HOME', '.config');
}

/** What the tool has to remember from one run to the next: `$XDG_STATE_HOME/svc`, else `~/.local/state/svc`. */
export function stateFolder(env: Environment): string {
  return folderOf(env, 'XDG_STATE_HOME', join('.local', 'state'));
}

function folderOf(env: Environment, variable: string, inHome: string): string {
  const base = env[variable];
  return join(base !== undefined && base.startsWith('/') ? base : join(env['HOME'] ?? homedir(), inHome), 'svc');
}
