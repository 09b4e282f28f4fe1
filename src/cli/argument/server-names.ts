import { join } from 'node:path';
import type { Environment } from '../../config/read/substitute.ts';
import { PrivateFile } from '../../client/private-file.ts';
import { configFolder } from '../../client/user-folders.ts';

/** The addresses of servers by the names that `svc alias` gave them. */
export function serverNames(env: Environment): PrivateFile<Readonly<Record<string, string>>> {
  return new PrivateFile(join(configFolder(env), 'servers.json'));
}

/** Whether a text can be a name. No address of a server is one. */
export function isServerName(text: string): boolean {
  return /^[a-z0-9][\w-]{0,62}$/i.test(text);
}
