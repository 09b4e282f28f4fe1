#!/usr/bin/env node
// Plain JavaScript on purpose: an older Node cannot read TypeScript, and must still be able to say so.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `svc needs Node 24 or newer; this is ${process.version}. From a checkout, \`npm run -s svc -- …\` uses the right one.\n`,
  );
  process.exit(1);
}

// What is compiled once starts in half the time. What lies there is run, so no other user may have put it there. Node itself follows `NODE_COMPILE_CACHE`.
const caches =
  process.env.CACHE_DIRECTORY?.split(':', 1)[0] ||
  process.env.XDG_CACHE_HOME ||
  join(process.env.HOME || process.env.USERPROFILE || '', '.cache');
const folders = [caches, join(caches, 'svc'), join(caches, 'svc', 'compiled')];
if (module.getCompileCacheDir() === undefined && isAbsolute(caches) && folders.every(isOwnFolder))
  module.enableCompileCache(folders[2]);

// npm runs scripts in the folder of the package. Paths are meant from where somebody stands.
if (process.env.npm_lifecycle_event === 'svc' && process.env.INIT_CWD !== undefined)
  process.chdir(process.env.INIT_CWD);

// A checkout runs from its sources. The package has them built, because Node reads no TypeScript below `node_modules`.
const root = join(import.meta.dirname, '..');
const { main } = await import(existsSync(join(root, 'src')) ? '../src/main.ts' : '../dist/server/main.cjs');
await main(process.argv.slice(2), root);

/** Makes the folder where it is missing. */
function isOwnFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o002) === 0);
  } catch {
    return false;
  }
}
