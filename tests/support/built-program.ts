import { join } from 'node:path';
import { madeOnce } from './made-once.ts';

/**
 * `svc` as packages have it, built of the sources as they are now: it starts with half of the work. What it needs besides are files of the checkout. `npm test`
 * has just built it.
 */
export async function builtProgram(): Promise<string> {
  const build =
    process.env['SVC_TEST_BUILT'] === undefined
      ? '"$node" node_modules/vite/bin/vite.js build --logLevel warn --outDir "$out/dist/server"'
      : 'mkdir -p "$out/dist" && cp -r dist/server "$out/dist"';
  const make = `${build} && ln -s "$PWD/dist/web" "$out/dist/web" && cp -r bin package.json "$out"`;
  return join(
    await madeOnce(
      'built',
      ['src', 'bin', 'scripts/build', 'vite.config.ts', 'package.json', 'package-lock.json'],
      make,
    ),
    'bin/svc.js',
  );
}
