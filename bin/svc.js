#!/usr/bin/env node
// Plain JavaScript on purpose: an older Node cannot read TypeScript, and must still be able to say so.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`svc needs Node 24 or newer; this is ${process.version}. From a checkout, \`npm run -s svc -- …\` uses the right one.\n`);
  process.exit(1);
}

// What is compiled once starts in half the time. Node's own place for it is a folder that every user of the machine may write to, so this one is the user's own.
const caches = process.env.CACHE_DIRECTORY || process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
module.enableCompileCache(process.env.NODE_COMPILE_CACHE || join(caches, 'svc', 'compiled'));

// A checkout runs from its sources. The package has them built, because Node reads no TypeScript below `node_modules`.
const root = join(import.meta.dirname, '..');
const { main } = await import(existsSync(join(root, 'src')) ? '../src/main.ts' : '../dist/server/main.cjs');
await main(process.argv.slice(2), root);
