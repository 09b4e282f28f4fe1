import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

/** Builds the page of `page.ts` into a folder, as the service sends a web UI. A process of its own: the bundler does not run within jest. */
const [directory = ''] = process.argv.slice(2);

await build({
  configFile: false,
  logLevel: 'error',
  build: {
    outDir: join(directory, 'assets'),
    lib: { entry: join(import.meta.dirname, 'page.ts'), formats: ['es'], fileName: () => 'page.js' },
  },
});
await writeFile(
  join(directory, 'index.html'),
  '<!doctype html><html lang="en"><head></head><input type="file"><script type="module" src="./assets/page.js"></script></html>',
);
