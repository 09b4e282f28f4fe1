import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { validConfig } from '../config/written-config.ts';
import { HOSTILE, hostileConfig } from './hostile-review.ts';
import { Machine } from './svc-process.ts';

let machine: Machine;

beforeAll(async () => {
  machine = await Machine.make();
  await writeFile(join(machine.home, 'svc.config.yaml'), dump(validConfig()));
});

afterAll(() => machine.remove());

const who = (...args: string[]) => machine.svc('policy', 'who', ...args);

/** The number of the first line of the configuration that holds the text, behind the line that holds `after`. */
async function lineOf(text: string, after: string): Promise<number> {
  const lines = (await readFile(join(machine.home, 'svc.config.yaml'), 'utf8')).split('\n');
  const start = lines.findIndex((line) => line.includes(after));
  return lines.findIndex((line, i) => i > start && line.includes(text)) + 1;
}

describe('svc policy who', () => {
  it('names groups, subjects and local users, with rules and bindings at their lines', async () => {
    const { status, stdout } = await who('objects:get', 'main/photos/2025/a.jpg');
    expect(status).toBe(0);
    expect(stdout).toContain(
      `    group admins\n      allow by default-admin rule 1, on everything\n        by binding 1 (svc.config.yaml:${await lineOf('- groups', 'api_keys:')}), role admin\n`,
    );
    expect(stdout).toContain(
      `    petra of https://login.example.com/realms/main\n      allow by photos rule 1 (svc.config.yaml:${await lineOf('effect: allow', 'name: photos')}), on main/photos/2025/…\n        by binding 2 (svc.config.yaml:${await lineOf('- subjects', 'viewer:')})\n`,
    );
    expect(stdout).toContain('    dev of https://login.example.com/realms/main (a local user: groups do not count)\n');
    expect(stdout).toMatch(/everybody signed in who is none of these may not: no rule allows it\n$/);
  });

  it('names whom a rule denies it, and answers scripts the same', async () => {
    const { stdout } = await who('objects:delete', 'main/photos/2025/', '--json');
    const { answers } = JSON.parse(stdout) as {
      answers: {
        unnamed: boolean;
        everybody: boolean;
        holders: { outcome: string; holder: object; rules: { effect: string }[] }[];
      }[];
    };
    expect(answers).toMatchObject([
      {
        unnamed: true,
        everybody: false,
        holders: [{ holder: { group: 'admins' }, outcome: 'denied', rules: [{ effect: 'allow' }, { effect: 'deny' }] }],
      },
    ]);
  });

  it('names the places in a bucket to which narrower rules apply', async () => {
    const config = validConfig();
    const resources = [
      { type: 'prefix', provider: 'main', bucket: 'photos', prefix: 'home/', each: 'subject' },
      { type: 'object', provider: 'main', bucket: 'photos', key: '2025/a.jpg' },
      { type: 'prefix', provider: 'main', bucket: 'other', prefix: 'x/' },
    ];
    await writeFile(
      join(machine.home, 'narrower.yaml'),
      dump({
        ...config,
        policies: [
          ...config.policies,
          { version: 1, name: 'more', rules: [{ effect: 'allow', actions: ['objects:get'], resources }] },
        ],
      }),
    );
    const last = async (path: string) =>
      (await who('-c', 'narrower.yaml', 'objects:get', path)).stdout.trimEnd().split('\n').at(-1);
    expect(await last('main/photos')).toBe(
      '  narrower rules apply to main/photos/2025/a.jpg, main/photos/2025/…, main/photos/home/{subject}/…: ask about these places too',
    );
    expect(await last('main/photos/home/')).toBe(
      '  narrower rules apply to main/photos/home/{subject}/…: ask about these places too',
    );
    for (const path of ['main/photos/2025/a.jpg', 'main/photos/2024/'])
      expect(await last(path)).toBe('  everybody signed in who is none of these may not: no rule allows it');
  });

  it('says so where nobody may, and where policy is off', async () => {
    await writeFile(
      join(machine.home, 'off.yaml'),
      dump({ ...validConfig(), policy: { ...validConfig().policy, enabled: false } }),
    );
    expect((await who('-c', 'off.yaml', 'objects:get', 'main/photos/a')).stdout).toBe(
      'objects:get on main/photos/a\n  everybody signed in may: policy is off\n',
    );
    await writeFile(
      join(machine.home, 'nobody.yaml'),
      dump({ ...validConfig(), auth: { ...validConfig().auth, bindings: [], local_users: [] }, bindings: [] }),
    );
    expect((await who('-c', 'nobody.yaml', 'objects:get', 'main/photos/a')).stdout).toBe(
      'objects:get on main/photos/a\n  everybody signed in may not: no rule allows it\n',
    );
  });

  it('answers 2 to a place on which the action is not asked', async () => {
    expect(await who('buckets:create', 'main')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('write `PROVIDER/BUCKET`'),
    });
    expect(await who('objects:get', 'main')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('write `PROVIDER/BUCKET/KEY`'),
    });
  });
});

describe('names of a configuration', () => {
  it.each([
    ['who', 'objects:get', 'main/box/two\nlines'],
    ['explain', '--subject', 'ada', '--group', 'two\nlines', 'objects:get', 'main/box/two\nlines'],
    ['list'],
    ['test', 'hostile-cases.yaml'],
  ])('begin no line of `svc policy %s` and bring no control character, also in a pipe', async (verb, ...args) => {
    await writeFile(join(machine.home, 'hostile.yaml'), hostileConfig());
    const asked = { action: 'objects:get', path: 'main/box/two\nlines', expect: 'allow' };
    await writeFile(
      join(machine.home, 'hostile-cases.yaml'),
      dump([{ subject: 'ada', groups: ['two\nlines'], ...asked }]),
    );
    const { stdout } = await machine.svc('policy', verb, '--config', 'hostile.yaml', ...args);
    expect(HOSTILE).toContain('two\nlines');
    expect(stdout).toContain('two\\u{a}lines');
    expect(
      stdout.split('\n').filter((line) => line.startsWith('lines') || /[\p{Cc}\p{Bidi_Control}]/u.test(line)),
    ).toEqual([]);
  });
});
