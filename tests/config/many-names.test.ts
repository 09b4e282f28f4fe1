import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { configCheck } from '../../src/cli/service/config-check.ts';
import { SECRET, WrittenConfig } from './written-config.ts';
import { workedMs } from '../support/worked.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());

const COUNT = 3000;
const MAX_WORKED_MS = 8_000;

const names = (what: string) =>
  Array.from({ length: COUNT }, (_, i) => `${what}-of-the-department-for-storage-and-files-${i}`);
const provider = (name: string) => ({ name, endpoint: 'https://s3.example.com' });
const readFrom = (name: string) => ({
  effect: 'allow',
  actions: ['objects:read'],
  resources: [{ type: 'provider', provider: name }],
});
const roles = Object.fromEntries(names('role').map((name) => [name, { policies: ['photos'] }]));
const photos = { version: 1, name: 'photos', rules: [readFrom('main')] };
const boundTo = (role: string) => ({ groups: ['staff'], role });

function check(config: object) {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  writeFileSync(
    written.file,
    JSON.stringify({ providers: [provider('main')], policies: [photos], ...config }, undefined, 1),
  );
  const began = workedMs();
  const status = configCheck(written.file, SECRET, { print, printError: print });
  return { status, lines, worked: workedMs() - began };
}

describe('svc config check', () => {
  it.each([
    ['roles', { roles, bindings: names('rule').map(boundTo) }, 2],
    [
      'roles of local users',
      { roles, auth: { local_users: names('rule').map((name) => ({ subject: name, roles: [name] })) } },
      2,
    ],
    [
      'policies',
      {
        policies: names('policy').map((name) => ({ ...photos, name })),
        bindings: [{ groups: ['staff'], policies: names('polizy') }],
      },
      2,
    ],
    [
      'providers',
      { providers: names('store').map(provider), policies: [{ ...photos, rules: names('stroe').map(readFrom) }] },
      0,
    ],
    ['actions', { policies: [{ ...photos, rules: [{ ...readFrom('main'), actions: names('objects:raed') }] }] }, 2],
    ['keys', Object.fromEntries(names('key').map((key) => [key, 1])), 2],
    [
      'keys of bindings, and names that are unknown because of them',
      {
        roles,
        bindings: [...names('group').map((name) => ({ groups: [name], rol: 'photos' })), ...names('rule').map(boundTo)],
      },
      2,
    ],
  ])(
    `names %s that it does not know, ${COUNT} of them beside as many that it knows, within ${MAX_WORKED_MS / 1_000} s`,
    (_what, config, status) => {
      const checked = check(config);
      expect(checked.status).toBe(status);
      expect(checked.lines.length).toBeGreaterThanOrEqual(COUNT);
      expect(checked.worked).toBeLessThan(MAX_WORKED_MS);
    },
  );

  it('guesses as long as names are few', () => {
    const { lines } = check({
      roles: { viewer: { policies: ['photos'] } },
      bindings: Array.from({ length: 200 }, () => boundTo('veiwer')),
    });
    expect(lines.filter((line) => line.includes('did you mean `viewer`?'))).toHaveLength(200);
  });
});
