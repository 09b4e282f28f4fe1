import { defineConfig } from 'vite';
import manifest from './package.json' with { type: 'json' };
import { thirdParty } from './scripts/build/third-party.ts';

/**
 * Builds the server and the command line for the package, because Node strips no types below `node_modules`. Libraries are built in: few large files load
 * faster than many small ones. What the package installs beside it (native code, and files that are read from disk) is what `package.json` lists as a dependency, optional or not.
 */
export default defineConfig({
  plugins: [thirdParty()],
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
      output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
    },
  },
  ssr: {
    noExternal: true,
    external: [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)],
  },
});
