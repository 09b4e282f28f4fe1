import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { precompressed } from '../../scripts/build/precompressed.ts';
import { referenceFiles } from '../../scripts/build/reference-files.ts';
import { thirdParty } from '../../scripts/build/third-party.ts';

/** Puts a script that runs before the first paint, and so is no module, among the assets: a page of ours loads scripts from there alone. */
function earlyScript(file: string): Plugin {
  return {
    name: 'early-script',
    buildStart() {
      this.emitFile({ type: 'asset', name: file, source: readFileSync(join(import.meta.dirname, file)) });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const built = Object.values(bundle).find((output) => output.type === 'asset' && output.names.includes(file));
        return built === undefined ? html : html.replace(`./${file}`, `./${built.fileName}`);
      },
    },
  };
}

/** The UI may be hosted below a base path, so that every address in the build is relative to the document's base. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), earlyScript('color-scheme.js'), referenceFiles(), thirdParty(), precompressed(['assets', 'reference'])],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    // What most parts of the page share is two files, of others and of our own, and not a dozen small ones.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', test: /node_modules/, minShareCount: 6 }, { name: 'own', test: /src\/(?:web|transfer|wire)\//, minShareCount: 6 }] } } },
  },
});
