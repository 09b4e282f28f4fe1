import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './folder.ts';

/** What the web UI is built of: it may import nothing else (`.dependency-cruiser.cjs`). */
const SOURCES = ['src/web', 'src/wire', 'src/transfer', 'scripts/build', 'package-lock.json'];

/** Builds the web UI, unless it was built after its sources last changed. @throws {Error} what the build said. */
export function buildWebUi(): void {
  const built = changedAt('dist/web/index.html');
  if (SOURCES.flatMap(withFiles).every((path) => changedAt(path) < built)) return;
  process.stdout.write('The web UI is built; this takes a minute …\n');
  const { status } = spawnSync('npm', ['run', '-s', 'build:web'], { cwd: CHECKOUT, stdio: 'inherit' });
  if (status !== 0) throw new Error('the web UI could not be built; the reason stands above');
}

function withFiles(path: string): string[] {
  if (!statSync(join(CHECKOUT, path)).isDirectory()) return [path];
  return [
    path,
    ...readdirSync(join(CHECKOUT, path), { recursive: true, encoding: 'utf8' }).map((name) => join(path, name)),
  ];
}

/** Milliseconds since the epoch; 0 for what is not there. */
function changedAt(path: string): number {
  return statSync(join(CHECKOUT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
