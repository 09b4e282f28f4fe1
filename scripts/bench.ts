/** `npm run bench -- NAME`: runs the benchmark in `bench-NAME.ts`. It prints its figures, and exits with 1 when one is not reached. */
import { readdirSync } from 'node:fs';

const names = readdirSync(import.meta.dirname).flatMap((file) => /^bench-([\w-]+)\.ts$/.exec(file)?.[1] ?? []);
const [name] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  console.error(`usage: npm run bench -- ${names.join(' | ')}`);
  process.exit(2);
}
await import(`./bench-${name}.ts`);
