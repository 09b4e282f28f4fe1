import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const CHECKOUT = join(import.meta.dirname, '../..');

const run = promisify(execFile);

/**
 * A folder that is made once of `parts`. Tests that run at the same time, or later on the same parts, share it.
 *
 * @param name - of its kind, beneath `.cache`.
 * @param parts - files and folders of the checkout. The web UI's sources do not count.
 * @param make - a shell command that makes the folder `$out`; `$node` is Node.
 */
export async function madeOnce(name: string, parts: readonly string[], make: string): Promise<string> {
  const kept = join(CHECKOUT, '.cache', name);
  await mkdir(kept, { recursive: true });
  const folder = join(kept, await digestOf(parts));
  // Whoever comes second waits, and finds it there.
  const program = `test -e "$folder" && exit; find "$kept" -mindepth 1 -maxdepth 1 -type d -exec rm -r {} +; ${make} && mv "$out" "$folder"`;
  const { NODE_ENV: _, ...env } = process.env;
  await run('flock', [join(kept, 'lock'), 'sh', '-c', program], {
    cwd: CHECKOUT,
    env: { ...env, kept, folder, out: `${folder}.part`, node: process.execPath },
  });
  return folder;
}

async function digestOf(parts: readonly string[]): Promise<string> {
  const { stdout } = await run(
    'sh',
    ['-c', 'find "$@" -path src/web -prune -o -type f -print0 | sort -z | xargs -0 sha256sum', 'sh', ...parts],
    { cwd: CHECKOUT, maxBuffer: 16 * 1_048_576 },
  );
  return createHash('sha256').update(stdout).digest('hex').slice(0, 16);
}
