import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../config/substitute.ts';

/** The user's own folder of the tool: `$XDG_CONFIG_HOME/svc`, else `~/.config/svc`. */
export function configFolder(env: Environment): string {
  const base = env['XDG_CONFIG_HOME'];
  return join(base !== undefined && base.startsWith('/') ? base : join(env['HOME'] ?? homedir(), '.config'), 'svc');
}

/** A small JSON file of the user alone (mode 0600). What is missing or broken reads as `undefined`. */
export class PrivateFile<T> {
  readonly path: string;

  constructor(env: Environment, name: string) {
    this.path = join(configFolder(env), name);
  }

  async read(): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8')) as T;
    } catch {
      return undefined;
    }
  }

  /** Whole or not at all: a second process that reads meanwhile sees the old content. */
  async write(value: T): Promise<void> {
    await mkdir(join(this.path, '..'), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(draft, this.path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}
