import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The UI may be hosted below a base path, so that every address in the build is relative to the document's base. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
  },
});
