/** `npm run package`: makes a Debian package and a tarball of what was built, each with its own Node. `--out FOLDER` says where they go; by default `packages`. */
import { parseArgs } from 'node:util';
import { makePackages } from './package/make.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: new URL('../packages', import.meta.url).pathname } } });
for (const file of await makePackages(values.out)) console.log(file);
