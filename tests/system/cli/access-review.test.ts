import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import Papa from 'papaparse';
import { writeReview } from '../../../src/cli/review/access-review.ts';
import { loadPolicy } from '../../../src/config/load.ts';
import { PolicySet } from '../../../src/policy/index/policy-set.ts';
import { HOSTILE, hostileConfig } from '../../cli/hostile-review.ts';
import { Machine } from '../../cli/svc-process.ts';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.make();
  await writeFile(join(machine.home, 'hostile.yaml'), hostileConfig());
});
afterAll(() => machine.remove());

const review = (...args: string[]) => machine.svc('access', 'review', ...args);

type Row = Readonly<Record<string, string>>;
const rowsOf = (csv: string) => Papa.parse<Row>(csv, { header: true, skipEmptyLines: true }).data;

const auth = {
  enabled: true,
  public_origin: 'https://files.example.com',
  oidc: { issuer: 'https://login.example.com', client_id: 'svc' },
};
const reading = (name: string, resources: object[]) => ({
  version: 1,
  name,
  rules: [{ effect: 'allow', actions: ['objects:read'], resources }],
});

describe('svc access review', () => {
  it('writes CSV in which no cell is a formula, and every name can be read back', async () => {
    const { status, stdout, stderr } = await review('-c', 'hostile.yaml');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.split('\r\n')).toHaveLength(HOSTILE.length + 2);
    expect(stdout.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    const rows = rowsOf(stdout);
    for (const cell of rows.flatMap((row) => Object.values(row))) expect(cell).not.toMatch(/^\s*[=+\-@＝]/);
    expect(rows.map(({ policy }) => policy?.replace(/^'(?=\s*[=+\-@＝])/, ''))).toEqual(
      HOSTILE.map((name) => name.replace('\n', '\\u{a}').replace('\t', '\\u{9}').replace('\u202e', '\\u{202e}')),
    );
    expect(rows.every(({ owner }) => owner === `'${HOSTILE[0]}`)).toBe(true);
  });

  it('writes a page in which every name is text', async () => {
    const { stdout } = await review('-c', 'hostile.yaml', '--format', 'html');
    expect(stdout).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(stdout).toContain('&amp;amp;');
    expect(stdout).not.toMatch(/<script|<img|http:\/\/x"|\u202e/);
    expect(stdout.match(/<tr class/g)).toHaveLength(HOSTILE.length);
    expect(stdout.trimEnd().endsWith('</html>')).toBe(true);
  });

  it('tells administrators, local users, owners and what is denied', async () => {
    await writeFile(
      join(machine.home, 'all.yaml'),
      dump({
        auth: { ...auth, local_users: [{ subject: 'dev', roles: ['admin'] }] },
        providers: [{ name: 'main', endpoint: 'https://s3.example.com', owner: 'ops', owners: { pay: 'cfo' } }],
        roles: { admin: { policies: ['papers'] } },
        policies: [
          reading('papers', [{ type: 'bucket', provider: 'main', bucket: 'pay' }]),
          {
            version: 1,
            name: 'not',
            rules: [
              {
                effect: 'deny',
                actions: ['objects:get'],
                resources: [{ type: 'prefix', provider: 'main', bucket: 'pay', prefix: 'x/' }],
              },
            ],
          },
        ],
        bindings: [{ groups: ['g'], policies: ['papers', 'not'] }],
      }),
    );
    const told = rowsOf((await review('-c', 'all.yaml')).stdout).map(({ place, owner, who, effect, may, role }) =>
      [place, owner, who, effect, may, role].join('|'),
    );
    expect(told).toEqual([
      'the service||dev of https://login.example.com (local user)|allow|administer sessions, API keys and policies of all|admin',
      'main/pay|cfo|group g|allow|list everything in it; read everything in it except x/…|',
      'main/pay|cfo|group g|deny|must not: read x/…|',
      'main/pay|cfo|dev of https://login.example.com (local user)|allow|list, read everything in it|admin',
    ]);
    expect(rowsOf((await review('-c', 'all.yaml', '--owner', 'cfo')).stdout)).toHaveLength(3);
    const { lines } = JSON.parse((await review('-c', 'all.yaml', '--json')).stdout) as { lines: Row[] };
    expect(lines.map(({ id }) => id)).toEqual(rowsOf((await review('-c', 'all.yaml')).stdout).map(({ id }) => id));
    expect(await review('-c', 'all.yaml', '--owner', 'nobody')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('nobody is named `nobody`'),
    });
  });

  it.each([
    ['auth', { auth: { enabled: false } }, '`auth.enabled: false`'],
    ['policy', { auth, policy: { enabled: false } }, '`policy.enabled: false`'],
  ])('says that everybody may do everything where %s is off', async (_, config, by) => {
    await writeFile(
      join(machine.home, 'off.yaml'),
      dump({ providers: [{ name: 'main', endpoint: 'https://s3.example.com', buckets: ['pay'] }], ...config }),
    );
    expect(
      rowsOf((await review('-c', 'off.yaml')).stdout).map(({ place, who, by: told }) => [place, who, told]),
    ).toEqual([
      ['main/pay', 'everybody', by],
      ['main: all other buckets', 'everybody', by],
    ]);
  });

  it.each([
    [['providers:list'], 'see the provider'],
    [
      ['providers:list', 'buckets:list', 'objects:read'],
      'see the provider, see all other buckets, list, read everything in them',
    ],
    [['buckets:create', 'buckets:delete'], 'create all other buckets, delete all other buckets'],
    [['objects:read'], 'list, read everything in all other buckets'],
  ])('says what %j allows in all other buckets', async (actions, may) => {
    const policies = [
      {
        version: 1,
        name: 'p',
        rules: [{ effect: 'allow', actions, resources: [{ type: 'provider', provider: 'main' }] }],
      },
    ];
    const config = {
      auth,
      providers: [{ name: 'main', endpoint: 'https://s3.example.com' }],
      policies,
      bindings: [{ groups: ['g'], policies: ['p'] }],
    };
    await writeFile(join(machine.home, 'other.yaml'), dump(config));
    expect(
      rowsOf((await review('-c', 'other.yaml')).stdout)
        .filter(({ who }) => who === 'group g')
        .map(({ place, may: told }) => [place, told]),
    ).toEqual([['main: all other buckets', may]]);
  });

  it('keeps its ids while lines move, and changes that of a line that says something else', async () => {
    const write = (bindings: object[], resources: object[]) =>
      writeFile(
        join(machine.home, 'moved.yaml'),
        `# ${'\n# '.repeat(bindings.length)}\n${dump({ auth, providers: [{ name: 'main', endpoint: 'https://s3.example.com' }], policies: [reading('a', resources), reading('b', [{ type: 'bucket', provider: 'main', bucket: 'box' }])], bindings })}`,
      );
    const idsOf = async () =>
      new Map(rowsOf((await review('-c', 'moved.yaml')).stdout).map(({ who, policy, id }) => [`${who} ${policy}`, id]));
    const box = { type: 'bucket', provider: 'main', bucket: 'box' };
    await write([{ groups: ['g'], policies: ['a', 'b'] }], [box]);
    const before = await idsOf();
    await write(
      [
        { groups: ['h'], policies: ['b'] },
        { groups: ['g'], policies: ['a', 'b'] },
      ],
      [{ ...box, type: 'prefix', prefix: 'x/' }],
    );
    const after = await idsOf();
    expect(after.get('group g b')).toBe(before.get('group g b'));
    expect(after.get('group g a')).not.toBe(before.get('group g a'));
  });

  it('holds no more than is taken from it', async () => {
    const groups = Array.from({ length: 300 }, (_, i) => `group-${i}`);
    const buckets = Array.from({ length: 300 }, (_, i) => `bucket-${i}`);
    const file = join(machine.home, 'large.yaml');
    await writeFile(
      file,
      dump({
        auth,
        providers: [{ name: 'main', endpoint: 'https://s3.example.com', buckets }],
        policies: [reading('all', [{ type: 'all' }])],
        bindings: [{ groups, policies: ['all'] }],
      }),
    );
    const { policy, issuer, lines, tests, buckets: known, signIn, faults } = loadPolicy({ file, env: {} });
    expect(faults).toBeUndefined();
    let most = 0;
    let bytes = 0;
    const slow = new Writable({
      highWaterMark: 16 * 1024,
      write(chunk: Buffer, _encoding, done) {
        most = Math.max(most, slow.writableLength);
        bytes += chunk.length;
        setImmediate(done);
      },
    });
    const count = await writeReview(
      {
        policies: new PolicySet(policy!),
        definition: policy!,
        issuer: issuer!,
        lines: lines!,
        tests: tests!,
        buckets: known!,
        signIn: signIn!,
      },
      { config: file, format: 'csv' },
      slow,
    );
    expect([count, bytes > 10_000_000]).toEqual([301 * 300, true]);
    expect(most).toBeLessThan(32 * 1024);
  });
});
