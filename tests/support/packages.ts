import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { madeOnce } from './made-once.ts';

/** The Debian package and the tarball, made by `npm run package` of what is built, but compressed in a hurry. */
export async function packages(): Promise<{ readonly debian: string; readonly tarball: string }> {
  const folder = await madeOnce(
    'packages',
    ['bin', 'dist', 'docs', 'packaging', 'scripts/build', 'scripts/package', 'package.json'],
    '"$node" scripts/package.ts --level 1 --out "$out"',
  );
  const files = await readdir(folder);
  const named = (ending: string) => join(folder, files.find((file) => file.endsWith(ending)) ?? '');
  return { debian: named('.deb'), tarball: named('.tar.gz') };
}
