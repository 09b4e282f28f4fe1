/** Before `npm run demo` builds the web UI: in a checkout that is read-only, the build would end with a stack. */
import { join } from 'node:path';
import { CHECKOUT, makeFolder } from './demo/folder.ts';

try {
  await makeFolder(join(CHECKOUT, '.demo'), { empty: false });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
