import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { REFERENCE_FILES } from '../../src/http/reference.ts';

/** Puts what the API reference loads beside the web UI. */
export function referenceFiles(): Plugin {
  return {
    name: 'reference-files',
    generateBundle() {
      for (const file of REFERENCE_FILES) this.emitFile({ type: 'asset', fileName: `reference/${file}`, source: readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`))) });
    },
  };
}
