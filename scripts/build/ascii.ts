import type { Plugin } from 'vite';

/** Writes characters beyond ASCII as escapes: V8 holds a file that has a single one of them in twice the memory. A raw template may have none. */
export function ascii(): Plugin {
  return {
    name: 'ascii',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) if (output.type === 'chunk') output.code = escaped(output.code);
    },
  };
}

function escaped(code: string): string {
  // A character outside of the basic plane is two escapes, which mean the same in a text and in a pattern.
  return code.replace(/[^\0-\x7f]/g, (half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
