import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { manualPages } from '../generate/manual.ts';
import { NOT_BUILT_IN } from '../build/not-built-in.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
/** The folder of the manual pages in the package. */
const MANUAL = 'man';
/** A program that npm runs finds `node` in the path, so this one comes first there. */
export const WITH_THIS_NODE = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
};

/** Packs what lies in `dist` for npm. @param out - a folder. @returns the file. */
export async function makeNpmPackage(out: string): Promise<string> {
  if (!existsSync(join(CHECKOUT, 'dist/server/main.cjs')))
    throw new Error('nothing is built yet; run `npm run build` first');
  const stage = await mkdtemp(join(tmpdir(), 'svc-npm-package-'));
  try {
    for (const file of [...manifest.files, 'README.md', 'LICENSE'])
      await cp(join(CHECKOUT, file), join(stage, file), { recursive: true });
    await mkdir(join(stage, MANUAL));
    const pages = manualPages(manifest.version);
    for (const { file, text } of pages) await writeFile(join(stage, MANUAL, file), text);
    const man = pages.map(({ file }) => `${MANUAL}/${file}`);
    await writeFile(join(stage, 'package.json'), JSON.stringify(packedManifest(man), null, 2));
    await mkdir(out, { recursive: true });
    const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', out], {
      cwd: stage,
      env: WITH_THIS_NODE,
    });
    return join(out, stdout.trim());
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** `package.json` as the package has it: what is built in is no dependency, and nothing is left to build. */
function packedManifest(man: readonly string[]) {
  return {
    ...manifest,
    files: [...manifest.files, MANUAL],
    man,
    scripts: undefined,
    dependencies: Object.fromEntries(NOT_BUILT_IN.map((name) => [name, manifest.dependencies[name]])),
    devDependencies: undefined,
    allowScripts: undefined,
    overrides: undefined,
  };
}
