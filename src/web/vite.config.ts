import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { precompressed } from '../../scripts/build/precompressed.ts';
import { referenceFiles } from '../../scripts/build/reference-files.ts';
import { thirdParty } from '../../scripts/build/third-party.ts';

/** The module that renders the page. */
const START = 'start.tsx';
const firstLoad = new Set<string>();

/** What menus, dialogs and drawers share, which would be a dozen small files otherwise. */
const OVERLAYS =
  /node_modules\/(?:@floating-ui|react-remove-scroll|@mantine\/core\/esm\/components\/(?:Menu|Popover|Modal|Drawer|FocusTrap|ScrollArea)\/)/;

/** Emits a script that runs before the first paint into the assets, because pages may only load scripts from there. It is not a module, because modules are deferred. */
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

/** Adds preload links, so that the browser requests the code of the page with the document and not only after the messages are loaded. */
function preloaded(): Plugin {
  return {
    name: 'preloaded',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
        const start = chunks.find(({ moduleIds }) => moduleIds.includes(join(import.meta.dirname, START)));
        const scripts =
          start === undefined ? [] : [start.fileName, ...start.imports].filter((name) => !html.includes(name));
        const styles = chunks
          .filter(({ fileName }) => scripts.includes(fileName))
          .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
        return [
          ...scripts.map((name) => link('modulepreload', name)),
          ...styles.map((name) => link('stylesheet', name)),
        ];
      },
    },
  };
}

/** The chunk of a module of the UI that the first page needs, which also contains the packages it uses; null for all other modules. */
function partOfFirstLoad(
  id: string,
  graph: { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null },
): string | null {
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

/** The UI may be served under a base path, so all URLs in the build are relative to the document's base. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [
    react(),
    earlyScript('color-scheme.js'),
    preloaded(),
    referenceFiles(),
    thirdParty(),
    precompressed(['assets', 'reference']),
  ],
  // The grammars and the Markdown renderer are parts of their own, which a worker loads when it needs them.
  worker: { format: 'es' },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    // The first page consists of two files instead of a dozen small ones: one with the messages and the first requests, and one that renders the page. Other code is loaded on demand.
    rolldownOptions: {
      // A slow machine is no fault of the build, and a warning fails `npm run check`.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'words',
              test: /src\/(?:web\/(?:words\/(?:words|language)|base|api\/(?:prefetch|parsed|(?:rpc|listing)-request)|session\/(?:is-session|tabs)|place\/place)|format\/locale)\.ts$/,
              priority: 1,
            },
            { name: partOfFirstLoad, debugName: 'first load' },
            { name: 'overlays', test: OVERLAYS },
          ],
        },
      },
    },
  },
});
