import { afterAll, describe, expect, it } from '@jest/globals';
import { loadPolicy } from '../../src/config/load.ts';
import { validConfig, WrittenConfig } from './written-config.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());

/** The paths of all texts, numbers and truth values. */
function leavesOf(value: unknown, path: readonly string[] = []): string[][] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
    : [[...path]];
}

/** The configuration with a variable that is not set in place of the value at the path. */
function withUnset(path: readonly string[]): object {
  const config: object = validConfig();
  const parent = path
    .slice(0, -1)
    .reduce((at, name) => at[name] as Record<string, unknown>, config as Record<string, unknown>);
  parent[path.at(-1)!] = '${NOT_SET}';
  return config;
}

const NEEDED = /^(?:polic|roles|bindings|auth\.(?:bindings|local_users|oidc\.issuer)|providers\.\d+\.name)/;

describe('loadPolicy', () => {
  it.each(leavesOf(validConfig()).map((path) => path.join('.')))(
    'takes an unset variable at %s where policies do not need it, and names it where they do',
    (path) => {
      const file = written.write('unset.yaml', JSON.stringify(withUnset(path.split('.'))));
      const { policy, faults } = loadPolicy({ file, env: {} });
      if (NEEDED.test(path))
        expect(faults).toContainEqual(
          expect.objectContaining({ path, message: expect.stringContaining('`NOT_SET` is not set') }),
        );
      else
        expect({ faults, policies: policy?.policies.map(({ name }) => name) }).toEqual({
          faults: undefined,
          policies: ['default-viewer', 'default-write', 'default-admin', 'nobody-deletes', 'photos', 'inbox'],
        });
    },
  );
});
