import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** What the page of the API reference loads out of the package `swagger-ui-dist`. */
export const REFERENCE_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-16x16.png', 'favicon-32x32.png'];

/** Puts what the API reference loads beside the web UI. */
export function referenceFiles(): Plugin {
  return {
    name: 'reference-files',
    generateBundle() {
      for (const file of REFERENCE_FILES)
        this.emitFile({
          type: 'asset',
          fileName: `reference/${file}`,
          source: readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`))),
        });
    },
  };
}
