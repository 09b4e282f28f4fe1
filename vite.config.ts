import { join } from 'node:path';
import { defineConfig } from 'vite';
import manifest from './package.json' with { type: 'json' };
import { ascii } from './scripts/build/ascii.ts';
import { NOT_BUILT_IN } from './scripts/build/not-built-in.ts';
import { thirdParty } from './scripts/build/third-party.ts';
import { validators } from './scripts/build/validators.ts';

/**
 * Builds the server and the command line for the package, because Node strips no types below `node_modules`. Libraries are built in: few large files load
 * faster than many small ones.
 */
export default defineConfig({
  plugins: [thirdParty(), validators(), ascii()],
  resolve: { alias: [{ find: /^undici$/, replacement: join(import.meta.dirname, 'scripts/build/undici-parts.js') }] },
  build: {
    ssr: true,
    outDir: 'dist/server',
    emptyOutDir: true,
    target: 'node24',
    sourcemap: true,
    minify: false,
    copyPublicDir: false,
    rolldownOptions: {
      // A slow machine is no fault of the build, and a warning fails `npm run check`.
      checks: { bundlerTimings: false },
      input: ['src/main.ts', 'src/thumbnail/drawing.ts', 'src/audit/reader-thread.ts', 'src/audit/sink/sink-thread.ts'],
      output: { comments: false, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
    },
  },
  ssr: {
    noExternal: true,
    external: [...NOT_BUILT_IN, ...Object.keys(manifest.optionalDependencies)],
  },
});
