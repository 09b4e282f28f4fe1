/**
 * `npm run package`: makes a Debian package and a tarball of what was built, each with its own Node. `--out FOLDER` says where they go; by default `packages`, and `--level N` how hard they are compressed.
 * With `--npm` it makes only the package for npm.
 * With `--image` it makes the container image, too, without a registry: on Debian, as root, with buildah and mmdebstrap.
 */
import { parseArgs } from 'node:util';
import { makeImage } from './package/image.ts';
import { makePackages } from './package/make.ts';
import { makeNpmPackage } from './package/npm-package.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: new URL('../packages', import.meta.url).pathname },
    level: { type: 'string', default: '6' },
    npm: { type: 'boolean', default: false },
    image: { type: 'boolean', default: false },
  },
});
const files = values.npm ? [await makeNpmPackage(values.out)] : await makePackages(values.out, Number(values.level));
if (values.image && !values.npm) files.push(await makeImage(files[1]!, values.out));
for (const file of files) console.log(file);
