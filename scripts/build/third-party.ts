import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Writes `licenses/THIRD-PARTY.txt` beside what is built: name, version and license of each package that went into it. */
export function thirdParty(): Plugin {
  return {
    name: 'third-party',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []));
      const folders = new Set(modules.flatMap((id) => PACKAGE.exec(id.replace(/^\0/, ''))?.[0] ?? []));
      this.emitFile({
        type: 'asset',
        fileName: 'licenses/THIRD-PARTY.txt',
        source: [...folders].map(describe).sort().join('\n\n'),
      });
    },
  };
}

function describe(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: string;
  };
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return [
    `${name} ${version} (${license})`,
    ...(file === undefined ? [] : [readFileSync(join(folder, file), 'utf8').trim()]),
  ].join('\n\n');
}
