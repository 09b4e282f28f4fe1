import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CHECKOUT = join(import.meta.dirname, '../..');
const KEPT = join(CHECKOUT, '.cache/packages');
/** What goes into a package. */
const PARTS = ['bin', 'dist', 'docs', 'packaging', 'scripts/package', 'package.json'];

const run = promisify(execFile);

/** The Debian package and the tarball, made by `npm run package` of what is built. Tests that run at the same time, or later on the same build, share them. */
export async function packages(): Promise<{ readonly debian: string; readonly tarball: string }> {
  await mkdir(KEPT, { recursive: true });
  const folder = join(KEPT, await digestOfParts());
  // Whoever comes second waits, and finds them there.
  const make = 'test -e "$2" && exit; find "$1" -mindepth 1 -maxdepth 1 -type d -exec rm -r {} +; "$3" scripts/package.ts --out "$2.part" && mv "$2.part" "$2"';
  await run('flock', [join(KEPT, 'lock'), 'sh', '-c', make, 'sh', KEPT, folder, process.execPath], { cwd: CHECKOUT });
  const files = await readdir(folder);
  const named = (ending: string) => join(folder, files.find((file) => file.endsWith(ending)) ?? '');
  return { debian: named('.deb'), tarball: named('.tar.gz') };
}

async function digestOfParts(): Promise<string> {
  const { stdout } = await run('sh', ['-c', 'find "$@" -type f -print0 | sort -z | xargs -0 sha256sum', 'sh', ...PARTS], { cwd: CHECKOUT, maxBuffer: 16 * 1_048_576 });
  return createHash('sha256').update(stdout).digest('hex').slice(0, 16);
}
