import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { validConfig } from '../config/written-config.ts';
import { Machine } from './svc-process.ts';

let machine: Machine;

beforeAll(async () => {
  machine = await Machine.make();
});

afterAll(() => machine.remove());

async function diff(change: (config: ReturnType<typeof validConfig>) => object, ...options: string[]) {
  await writeFile(join(machine.home, 'old.yaml'), dump(validConfig()));
  await writeFile(join(machine.home, 'new.yaml'), dump(change(validConfig())));
  return machine.svc('policy', 'diff', ...options, 'old.yaml', 'new.yaml');
}

describe('svc policy diff', () => {
  it('answers 0 where nobody gains anything, and says what is lost', async () => {
    expect(await diff((config) => config)).toEqual({
      status: 0,
      stdout: 'Nobody gains or loses anything.\n',
      stderr: '',
    });
    const lost = await diff((config) => ({ ...config, bindings: config.bindings.slice(1) }));
    expect(lost).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^## Lost\n\n- `petra` of `https:\/\/login.example.com\/realms\/main` or `paul` of/,
      ),
    });
  });

  it('reads the files of teams beside each of the two files, and the other commands name them', async () => {
    for (const [side, actions] of [
      ['before', 'objects:get'],
      ['after', 'objects:read'],
    ] as const) {
      await mkdir(join(machine.home, side, 'teams'), { recursive: true });
      const rules = [
        { effect: 'allow', actions: [actions], resources: [{ type: 'bucket', provider: 'main', bucket: 'finance' }] },
      ];
      await writeFile(
        join(machine.home, side, 'teams/finance.yaml'),
        dump({ owner: 'cfo', policies: [{ version: 1, name: 'finance', rules }] }),
      );
      await writeFile(
        join(machine.home, side, 'svc.yaml'),
        dump({
          ...validConfig(),
          policies_dir: 'teams',
          bindings: [{ groups: ['accounting'], policies: ['finance'] }],
        }),
      );
    }
    expect(await machine.svc('policy', 'diff', 'before/svc.yaml', 'after/svc.yaml')).toEqual({
      status: 1,
      stdout:
        '## Gained\n\n- group `accounting`\n  - `objects:list` on `main/finance/…`; for example `objects:list main/finance/example`\n\n',
      stderr: '',
    });
    expect((await machine.svc('policy', 'list', '-c', 'after/svc.yaml')).stdout).toContain(
      'finance (config)\n  1 allow objects:list, objects:get on main/finance/…\n',
    );
    expect(
      (await machine.svc('policy', 'who', '-c', 'after/svc.yaml', 'objects:get', 'main/finance/a')).stdout,
    ).toMatch(
      /allow by finance rule 1 \(after\/teams\/finance\.yaml:6\), on main\/finance\/…\n {8}by binding 2 \(after\/svc\.yaml:\d+\)/,
    );
    await writeFile(
      join(machine.home, 'cases.yaml'),
      dump([
        { subject: 'ada', groups: ['accounting'], action: 'objects:get', path: 'main/finance/a', expect: 'allow' },
      ]),
    );
    expect((await machine.svc('policy', 'test', '-c', 'after/svc.yaml', 'cases.yaml')).stdout).toContain(
      'by finance rule 1 (after/teams/finance.yaml:6)',
    );
  });

  it('answers 1 where somebody gains something, with all of it for scripts', async () => {
    const { status, stdout } = await diff(
      (config) => ({ ...config, bindings: [...config.bindings, { groups: ['guests'], policies: ['inbox'] }] }),
      '--json',
    );
    expect(status).toBe(1);
    const selector = { type: 'prefix', provider: 'main', bucket: 'inbox', prefix: '' };
    expect(JSON.parse(stdout)).toEqual({
      changes: [
        {
          who: [[{ group: 'guests' }]],
          gained: {
            admin: false,
            regions: [
              {
                actions: ['objects:write'],
                selector: { ...selector, type: 'bucket', prefix: undefined },
                except: [],
                example: { kind: 'object', provider: 'main', bucket: 'inbox', key: 'example' },
              },
            ],
          },
          lost: { admin: false, regions: [] },
        },
      ],
    });
  });

  it('takes administration for something to gain', async () => {
    const { status, stdout } = await diff((config) => ({
      ...config,
      roles: { ...config.roles, admin: { policies: [] } },
      bindings: [...config.bindings, { groups: ['guests'], role: 'admin' }],
    }));
    expect({ status, stdout }).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(
        /^## Gained\n\n- group `guests`\n {2}- administration, by the role `admin`\n\n## Lost\n/,
      ),
    });
  });

  it('says what changes for whom a deny with `each` closes the whole prefix', async () => {
    const config = (...denies: object[]) => {
      const resource = { provider: 'main', bucket: 'home' };
      const rules = [
        {
          effect: 'allow',
          actions: ['objects:get'],
          resources: [{ type: 'object', ...resource, key: 'teams/readme' }],
        },
        ...denies.map((selector) => ({
          effect: 'deny',
          actions: ['objects:get'],
          resources: [{ type: 'prefix', ...resource, ...selector }],
        })),
      ];
      const { policies, bindings, ...rest } = validConfig();
      return dump({
        ...rest,
        policies: [...policies, { version: 1, name: 'x', rules }],
        bindings: [...bindings, { groups: ['staff'], policies: ['x'] }],
      });
    };
    await writeFile(join(machine.home, 'old.yaml'), config({ prefix: 'teams/', each: 'group' }));
    await writeFile(join(machine.home, 'new.yaml'), config());
    const { status, stdout } = await machine.svc('policy', 'diff', 'old.yaml', 'new.yaml');
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringContaining(
        '- group `staff`, together with a group that cannot be the name of a folder\n  - `objects:get` on `main/home/teams/readme`; for example `objects:get main/home/teams/readme`\n',
      ),
    });
  });

  it('keeps names text, whatever they hold', async () => {
    const { stdout } = await diff((config) => ({
      ...config,
      bindings: [...config.bindings, { groups: ['`[x](http://evil)`\n# Approved'], role: 'viewer' }],
    }));
    expect(stdout).toContain('- group `` `[x](http://evil)`\\u{a}# Approved ``\n');
  });

  it('answers 2 to a broken configuration, by its name', async () => {
    expect(await diff((config) => ({ ...config, roles: {} }))).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^new\.yaml:\d+: /),
    });
  });
});
