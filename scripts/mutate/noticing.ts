import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';

type Noticed = { readonly tests: readonly string[]; readonly reach: number };

const testsIn =
  (folder: string) =>
  (...names: readonly string[]): readonly string[] =>
    names.map((name) => `tests/${folder}/${name}.test.ts`);
const [audit, http, rpc] = [testsIn('audit'), testsIn('http'), testsIn('rpc')];

/** Which tests are to notice a change of a folder (as few as will do: a survivor runs them all), and which share of the changes, in percent. A folder that is not named has `tests/FOLDER`. */
export const NOTICED: Readonly<Record<string, Noticed>> = {
  policy: { tests: ['tests/policy'], reach: 95 },
  apikey: { tests: ['tests/apikey', ...rpc('api-key')], reach: 95 },
  key: { tests: ['tests/apikey', 'tests/s3key', ...rpc('api-key')], reach: 95 },
  s3key: { tests: ['tests/s3key'], reach: 95 },
  session: { tests: ['tests/session'], reach: 95 },
  state: { tests: ['tests/state', 'tests/session'], reach: 90 },
  signin: { tests: ['tests/signin', ...http('sign-in', 'sign-in-settings', 'v1-auth')], reach: 90 },
  config: { tests: ['tests/config'], reach: 90 },
  access: {
    tests: [
      'tests/access',
      ...audit('lines'),
      ...rpc('post', 'batch-end', 'api-key'),
      ...http('denied', 'credentials', 'origin', 'open-service'),
    ],
    reach: 90,
  },
  operation: {
    tests: [
      'tests/operation',
      ...audit('lines'),
      ...rpc('post', 'upload', 'api-key', 'batch-end'),
      ...http('denied', 'transfer', 'storage', 'explain', 'dot-segments'),
    ],
    reach: 90,
  },
  storage: { tests: ['tests/storage'], reach: 90 },
  audit: { tests: ['tests/audit', 'tests/scripts/generate.test.ts'], reach: 90 },
  http: { tests: ['tests/http', ...audit('lines')], reach: 90 },
  rpc: { tests: [...rpc('dispatch', 'post', 'socket', 'socket-flow', 'batch-end'), ...audit('lines')], reach: 90 },
};

export const reachOf = (folder: string): number => NOTICED[folder]?.reach ?? 90;

/** The test files that are to notice a change of the folder. */
export function testsOf(root: string, folder: string): readonly string[] {
  const places = NOTICED[folder]?.tests ?? [`tests/${folder}`];
  const withSystem = places.flatMap((place) => [place, place.replace('tests/', 'tests/system/')]);
  const tests = withSystem.flatMap((place) =>
    place.endsWith('.ts')
      ? [place].filter((file) => existsSync(join(root, file)))
      : globSync(`${place}/**/*.test.ts`, { cwd: root }),
  );
  if (tests.length === 0)
    throw new Error(`no test is to notice a change of src/${folder}; name some in scripts/mutate/noticing.ts`);
  return tests;
}

/** The test file with the mutant's name first, then the one that noticed the last mutant of the same file, then the shortest first. */
export function inOrder(
  tests: readonly string[],
  file: string,
  milliseconds: ReadonlyMap<string, number>,
  last?: string,
): readonly string[] {
  const isNamesake = (test: string): number => Number(basename(test) === basename(file).replace('.ts', '.test.ts'));
  return tests.toSorted(
    (a, b) =>
      isNamesake(b) - isNamesake(a) ||
      Number(b === last) - Number(a === last) ||
      (milliseconds.get(a) ?? 0) - (milliseconds.get(b) ?? 0),
  );
}
