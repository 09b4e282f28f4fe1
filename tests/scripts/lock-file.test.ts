import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

type Entry = { readonly optionalDependencies?: Readonly<Record<string, string>> };

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

/** Finds a package as Node does: in the `node_modules` of the package at `path`, then in those of the folders above it. */
function isLocked(name: string, path: string): boolean {
  if (packages[`${path === '' ? '' : `${path}/`}node_modules/${name}`] !== undefined) return true;
  return path !== '' && isLocked(name, path.slice(0, path.lastIndexOf('node_modules/')).replace(/\/$/, ''));
}

describe('package-lock.json', () => {
  it('has an entry for the binaries of every platform, so that `npm ci` works on each', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !isLocked(name, path))
        .map((name) => `${name}, which ${path === '' ? 'package.json' : path} may need`),
    );
    expect(missing).toEqual([]);
  });
});
