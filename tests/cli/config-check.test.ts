import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { configCheck } from '../../src/cli/config-check.ts';
import { SECRET, validConfig, WrittenConfig } from '../config/written-config.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());

function run(config: unknown, env: Record<string, string> = SECRET) {
  const [out, err]: [string[], string[]] = [[], []];
  writeFileSync(written.file, JSON.stringify(config, undefined, 1));
  const status = configCheck(written.file, env, { print: (line) => void out.push(line), printError: (line) => void err.push(line) });
  return { status, out, err };
}

describe('svc config check', () => {
  it('answers 0 and tells what to register', () => {
    expect(run(validConfig())).toEqual({
      status: 0,
      out: [
        `${written.file} is fine`,
        'people open https://files.example.com/',
        'register these redirect URIs with https://login.example.com/realms/main:',
        '  https://files.example.com/api/auth/callback',
        '  https://files.example.com/v1/auth/callback',
        'and, for signing out:',
        '  https://files.example.com/',
      ],
      err: [],
    });
  });

  it('answers 2 with a line for each fault, where an editor can jump to', () => {
    const config = { ...validConfig(), roles: {}, log: { level: 'loud' } };
    expect(run(config)).toEqual({
      status: 2,
      out: [],
      err: [
        expect.stringMatching(new RegExp(`^${written.file}:\\d+: auth\\.bindings\\.0\\.role: no role is named \`admin\``)),
        expect.stringMatching(/:\d+: auth\.local_users\.0\.roles\.0: no role is named `viewer`/),
        expect.stringMatching(/:\d+: bindings\.1\.role: no role is named `viewer`/),
        expect.stringMatching(/:\d+: log\.level: must be `error` or `warn` or `info` or `debug`$/),
      ],
    });
  });

  it('says when sign-in is off, and gives warnings', () => {
    expect(run({})).toEqual({
      status: 0,
      out: [`${written.file} is fine`, 'sign-in is off: everyone who can connect may do everything'],
      err: ['warning: providers: no storage provider is configured, so there is nothing to browse'],
    });
  });

  it('finds no fault in the example', () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    expect({ status: configCheck(new URL('../../svc.config.yaml', import.meta.url).pathname, SECRET, { print, printError: print }), warnings: lines.filter((line) => line.startsWith('warning')) }).toEqual({
      status: 0,
      warnings: [],
    });
  });
});
