import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { precompressed } from '../../scripts/build/precompressed.ts';
import { referenceFiles } from '../../scripts/build/reference-files.ts';
import { thirdParty } from '../../scripts/build/third-party.ts';

/** The module that draws the page. */
const START = 'start.tsx';
const firstLoad = new Set<string>();

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

/** Lets the browser ask for the page's own code as soon as it has the document, and not when the words are there. */
function preloaded(): Plugin {
  return {
    name: 'preloaded',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
        const start = chunks.find(({ moduleIds }) => moduleIds.includes(join(import.meta.dirname, START)));
        const scripts = start === undefined ? [] : [start.fileName, ...start.imports].filter((name) => !html.includes(name));
        const styles = chunks.filter(({ fileName }) => scripts.includes(fileName)).flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
        return [...scripts.map((name) => link('modulepreload', name)), ...styles.map((name) => link('stylesheet', name))];
      },
    },
  };
}

/** The file of a module of ours that the page begins with, which takes along what it uses of others; null for all else. */
function partOfFirstLoad(id: string, graph: { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }): string | null {
  if (firstLoad.size === 0) {
    const open = [join(import.meta.dirname, START)];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (firstLoad.has(next)) continue;
      firstLoad.add(next);
      open.push(...(graph.getModuleInfo(next)?.importedIds ?? []));
    }
  }
  return firstLoad.has(id) && !id.includes('node_modules') ? 'first' : null;
}

function link(rel: string, name: string): HtmlTagDescriptor {
  return { tag: 'link', attrs: { rel, crossorigin: true, href: `./${name}` }, injectTo: 'head' };
}

/** The UI may be hosted below a base path, so that every address in the build is relative to the document's base. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), earlyScript('color-scheme.js'), preloaded(), referenceFiles(), thirdParty(), precompressed(['assets', 'reference'])],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    // The page begins with two files, its words with what is asked at once, and what draws it first, and not with a dozen small ones. All else is loaded when it is needed.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'words', test: /src\/(?:web\/(?:words\/(?:words|language)|base|api\/(?:ahead|(?:rpc|listing)-request)|place\/place|session\/session-calls)|transfer\/locale)\.ts$/, priority: 1 }, { name: partOfFirstLoad, debugName: 'first load' }] } } },
  },
});
