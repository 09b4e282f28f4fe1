/** `npm run build:docs`: writes the files that are made from the source; with `--check` tells which of them are out of date. */
import { readFile, writeFile } from 'node:fs/promises';
import { generatedFiles } from './generate/files.ts';

const CHECKOUT = new URL('../', import.meta.url).pathname;
const check = process.argv.includes('--check');

for (const { file, content } of await generatedFiles()) {
  if ((await readFile(CHECKOUT + file, 'utf8').catch(() => undefined)) === content) continue;
  if (!check) await writeFile(CHECKOUT + file, content);
  console.log(check ? `${file} is out of date: npm run build:docs` : `${file} is written`);
  if (check) process.exitCode = 1;
}
