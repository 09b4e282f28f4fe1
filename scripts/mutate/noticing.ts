import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';

type Noticed = { readonly tests: readonly string[]; readonly reach: number };

/** Which tests are to notice a change of a folder, and which share of the changes, in percent. A folder that is not named has `tests/FOLDER`. */
export const NOTICED: Readonly<Record<string, Noticed>> = {
  policy: { tests: ['tests/policy'], reach: 95 },
  apikey: { tests: ['tests/apikey', 'tests/rpc/api-key.test.ts'], reach: 95 },
  session: { tests: ['tests/session'], reach: 95 },
  state: { tests: ['tests/state', 'tests/session'], reach: 90 },
  signin: { tests: ['tests/signin', 'tests/http/sign-in.test.ts', 'tests/http/sign-in-settings.test.ts', 'tests/http/v1-auth.test.ts'], reach: 90 },
  config: { tests: ['tests/config'], reach: 90 },
  access: { tests: ['tests/access', 'tests/rpc', 'tests/http'], reach: 90 },
  storage: { tests: ['tests/storage', 'tests/http/storage.test.ts', 'tests/http/transfer.test.ts', 'tests/rpc/upload.test.ts'], reach: 90 },
  http: { tests: ['tests/http'], reach: 90 },
  rpc: { tests: ['tests/rpc', 'tests/http/denied.test.ts', 'tests/http/held-open.test.ts'], reach: 90 },
};

export const reachOf = (folder: string): number => NOTICED[folder]?.reach ?? 90;

/** The test files that are to notice a change of the folder. */
export function testsOf(root: string, folder: string): readonly string[] {
  const places = NOTICED[folder]?.tests ?? [`tests/${folder}`];
  const tests = places.flatMap((place) => (place.endsWith('.ts') ? [place].filter((file) => existsSync(join(root, file))) : globSync(`${place}/**/*.test.ts`, { cwd: root })));
  if (tests.length === 0) throw new Error(`no test is to notice a change of src/${folder}; name some in scripts/mutate/noticing.ts`);
  return tests;
}

/** Those of the tests whose imports reach the file: the one with its name first, then the shortest first. */
export function inOrder(root: string, file: string, milliseconds: ReadonlyMap<string, number>): readonly string[] {
  const tests = [...milliseconds].sort(([, a], [, b]) => a - b).map(([test]) => test);
  const reaching = tests.filter((test) => imported(root, test).has(file));
  const isNamesake = (test: string): boolean => basename(test) === basename(file).replace('.ts', '.test.ts');
  return [...reaching.filter(isNamesake), ...reaching.filter((test) => !isNamesake(test))];
}

const seen = new Map<string, ReadonlySet<string>>();

/** Every file of the tree that a test imports, directly or through others. */
function imported(root: string, test: string): ReadonlySet<string> {
  const known = seen.get(test);
  if (known !== undefined) return known;
  const files = new Set([test]);
  for (const file of files) {
    if (!file.endsWith('.ts') || !existsSync(join(root, file))) continue;
    for (const { fileName } of ts.preProcessFile(readFileSync(join(root, file), 'utf8')).importedFiles) {
      if (fileName.startsWith('.')) files.add(join(dirname(file), fileName));
    }
  }
  seen.set(test, files);
  return files;
}
