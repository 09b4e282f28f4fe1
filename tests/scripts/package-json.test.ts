import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

/** What is imported, not only its types. That each of them is in `dependencies` is a rule of `.dependency-cruiser.cjs`. */
const IMPORT = /^(?!import type ).*(?:\bfrom |\bimport |\bimport\()'([^']+)'/gm;

describe('package.json', () => {
  it('has in `dependencies` only what the code under `src` imports', () => {
    const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => readFileSync(join('src', file), 'utf8'));
    const imported = code.flatMap((text) => Array.from(text.matchAll(IMPORT), ([, path]) => path!));
    const idle = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
      (name) => !imported.some((path) => path === name || path.startsWith(`${name}/`)),
    );
    expect(idle).toEqual([]);
  });
});
