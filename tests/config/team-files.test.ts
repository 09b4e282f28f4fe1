import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { faultLine } from '../../src/config/read/fault.ts';
import { policyWarnings } from '../../src/config/compile/policy-warnings.ts';
import { validConfig, WrittenConfig } from './written-config.ts';
import { workedMs } from '../support/worked.ts';

const kept: WrittenConfig[] = [];
let written: WrittenConfig;
beforeEach(() => void kept.push((written = new WrittenConfig())));
afterAll(() => kept.forEach((one) => one.remove()));

const rule = (bucket: string, actions = ['objects:read']) => ({
  effect: 'allow',
  actions,
  resources: [{ type: 'bucket', provider: 'main', bucket }],
});
const team = (name: string, bucket = name) =>
  dump({ owner: `${name}@example.com`, policies: [{ version: 1, name, rules: [rule(bucket)] }] });

function put(name: string, text: string): void {
  const path = join(written.directory, 'policies', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const load = (more: object = {}) => written.load({ ...validConfig(), policies_dir: 'policies', ...more });
/** As they are printed, without the folder of the test. */
const faults = (more: object = {}) =>
  (load(more).faults ?? []).map((fault) => faultLine('svc.config.yaml', fault).replaceAll(`${written.directory}/`, ''));
const names = (more: object = {}) => load(more).settings?.policy.policies.map(({ name }) => name);

describe('policies_dir', () => {
  it('adds the policies of each team behind those of the configuration, by the names of the files', () => {
    put('hr.yml', team('hr'));
    put('finance.yaml', team('finance'));
    expect(faults({ bindings: [{ groups: ['cfo'], policies: ['finance', 'photos'] }] })).toEqual([]);
    expect(names()).toEqual([
      'default-viewer',
      'default-write',
      'default-admin',
      'nobody-deletes',
      'photos',
      'inbox',
      'finance',
      'hr',
    ]);
    expect(load().lines?.ofRule({ policy: 'hr', rule: 0 })).toEqual({
      file: join(written.directory, 'policies/hr.yml'),
      path: 'policies.0.rules.0',
      line: 6,
    });
    expect(load().lines?.ownerOf('hr')).toBe('hr@example.com');
  });

  it('names both files of a name that stands twice', () => {
    put('a.yaml', team('finance'));
    put('b.yaml', team('finance'));
    put('c.yaml', team('photos'));
    put('d.yaml', team('default-viewer'));
    expect(faults()).toEqual([
      'policies/b.yaml:4: policies.0.name: `finance` is the name of `policies.0` in policies/a.yaml already',
      'policies/c.yaml:4: policies.0.name: `photos` is the name of `policies.0` in svc.config.yaml already',
      'policies/d.yaml:4: policies.0.name: `default-viewer` is the name of a built-in policy already',
    ]);
  });

  it.each(['${', '${file:', '${a:-', '${A}'])('says once that a text is full of `%s`, and soon', (reference) => {
    put('a.yaml', `owner: "${reference.repeat(100_000)}"\npolicies: []\n`);
    const since = workedMs();
    expect(faults()).toEqual([
      'policies/a.yaml:1: owner: takes nothing from outside, because the file belongs to a team: write the value out, and `$$` for a plain `$`',
    ]);
    expect(workedMs() - since).toBeLessThan(5_000);
  });

  it('has no team write lines of its own, or colours, into what is said of it', () => {
    put(
      'a.yaml',
      'owner: a\npolicies: [{version: 1, name: "x\\u202e", rules: [{effect: allow, actions: ["\\e[31m\\nsvc.config.yaml: fine"], resources: [{type: all}]}]}]\n',
    );
    expect(faults()).toEqual([
      'policies/a.yaml:2: policies.0.rules.0.actions.0: no action is named `\\u{1b}[31m\\u{a}svc.config.yaml: fine`',
    ]);
  });

  it('says what is wrong with each file, at its place, all at once', () => {
    put('1.yaml', 'owner: a\n');
    put('2.yaml', 'policies: []\n');
    put('3.yaml', 'owner: a\npolicies:\n  - version: 1\n    name: x\n    rules: []\nbindings: []\n');
    put('4.yaml', 'owner: a\npolicies:\n  - {version: 1, name: y, iam_file: ../x.json}\n');
    put('5.yaml', 'owner: a\npolicies: [\n');
    put('6.yaml', '- a\n');
    put('7.yaml', '');
    put('8.yaml', team('z').replace('bucket: z', 'bucket: "*"'));
    expect(faults()).toEqual([
      'policies/1.yaml: policies: is missing',
      'policies/2.yaml: owner: is missing',
      expect.stringMatching(/^policies\/3\.yaml:6: bindings: this key is not known here/),
      expect.stringMatching(/^policies\/4\.yaml:3: policies\.0\.iam_file: this key is not known here/),
      expect.stringMatching(/^policies\/5\.yaml:\d: is not valid YAML/),
      'policies/6.yaml: the file is no file of policies: it must be a mapping with `owner` and `policies`',
      'policies/7.yaml: the file is empty',
      expect.stringMatching(
        /^policies\/8\.yaml:12: policies\.0\.rules\.0\.resources\.0\.bucket: `\*`: there are no wildcards/,
      ),
    ]);
  });

  it('takes nothing from outside into a file of a team, neither variables nor files', () => {
    written.write('secret', 'canary-of-a-file');
    put(
      'a.yaml',
      'owner: a\npolicies:\n  - {version: 1, name: "${SVC_SESSION_SECRET}", rules: []}\n  - {version: 1, name: "${file:secret}", rules: []}\n  - {version: 1, name: "a$$b", rules: []}\n',
    );
    const told = faults();
    expect(told).toEqual([
      expect.stringMatching(/^policies\/a\.yaml:3: policies\.0\.name: takes nothing from outside/),
      expect.stringMatching(/^policies\/a\.yaml:4: policies\.1\.name: takes nothing from outside/),
    ]);
    put('a.yaml', 'owner: a\npolicies:\n  - {version: 1, name: "a$$b", rules: []}\n');
    expect(names()).toContain('a$b');
  });

  it('follows links to files, as a mounted ConfigMap has them, and passes over what is hidden', () => {
    put('..data/finance.yaml', team('finance'));
    symlinkSync('..data/finance.yaml', join(written.directory, 'policies/finance.yaml'));
    put('.hr.yaml.swp', 'no');
    expect([names()?.at(-1), load().warnings?.filter(({ path }) => path === 'policies_dir')]).toEqual(['finance', []]);
  });

  it('warns of what is not read', () => {
    put('README.md', 'x');
    put('more/finance.yaml', team('finance'));
    expect(load().warnings).toContainEqual(
      expect.objectContaining({
        path: 'policies_dir',
        message: expect.stringMatching(/^`README\.md`, `more` \(a folder\): not read/),
        line: expect.any(Number),
      }),
    );
  });

  it('refuses links that lead nowhere, to a folder or to themselves, and what is no file, without waiting for it', () => {
    put('d/x', '');
    symlinkSync('nowhere', join(written.directory, 'policies/a.yaml'));
    symlinkSync('b.yaml', join(written.directory, 'policies/b.yaml'));
    symlinkSync('d', join(written.directory, 'policies/c.yaml'));
    execFileSync('mkfifo', [join(written.directory, 'policies/e.yaml')]);
    symlinkSync('/dev/zero', join(written.directory, 'policies/f.yaml'));
    expect(faults()).toEqual([
      'policies/a.yaml: is a link to a file that does not exist',
      'policies/b.yaml: cannot be read: it is a link to itself, directly or through other links',
      'policies/c.yaml: cannot be read: it is a folder',
      ...['e', 'f'].map((name) => `policies/${name}.yaml: is neither a regular file nor a link to one`),
    ]);
  });

  it('refuses a folder that is missing, or a file in its place', () => {
    expect(faults({ team_files: { 'a.yaml': { buckets: [] } } })).toEqual([
      expect.stringMatching(/^svc\.config\.yaml:\d+: policies_dir: there is no folder `policies`$/),
    ]);
    written.write('policies', '');
    expect(faults()).toEqual([expect.stringMatching(/policies_dir: `policies` is a file, and has to be a folder$/)]);
  });

  it('is bounded: 1 MiB in a file, 8 MiB in all together, and 1,000 of them', () => {
    const names = Array.from('abcdefghi');
    for (const name of names) put(`${name}.yaml`, `${team(name)}# ${'x'.repeat((1 << 20) - 300)}`);
    expect(faults()).toEqual(['policies/i.yaml: the files of `policies_dir` are larger than 8 MiB together']);
    put('a.yaml', `${team('a')}# ${'x'.repeat(1 << 20)}`);
    expect(faults()).toEqual(['policies/a.yaml: is larger than 1 MiB']);
    for (const name of names) put(`${name}.yaml`, team(name));
    for (let i = 0; i < 992; i++) put(`n${i}.yaml`, team(`n${i}`));
    expect(faults()).toEqual([
      expect.stringMatching(/policies_dir: there are 1001 files in `policies`, and 1000 are the most$/),
    ]);
  });

  it('tells the first hundred faults of a file, and how many more there are', () => {
    put(
      'a.yaml',
      `owner: a\npolicies: [{version: 1, name: x, rules: [{effect: allow, resources: [{type: all}], actions: [${'x,'.repeat(50_000)}]}]}]\n`,
    );
    put('b.yaml', 'policies: []\n');
    const told = faults();
    expect(told).toHaveLength(102);
    expect(told.slice(99)).toEqual([
      expect.stringMatching(/actions\.99: no action is named `x`/),
      'policies/a.yaml: faults of this file that are not told: 49900 more',
      'policies/b.yaml: owner: is missing',
    ]);
  });

  it('warns at the lines of the files', () => {
    put(
      'finance.yaml',
      team('finance')
        .replace('type: bucket', 'type: prefix')
        .replace('bucket: finance', 'bucket: finance\n            prefix: a'),
    );
    const loaded = load({ bindings: [{ groups: ['cfo'], policies: ['photos'] }] });
    const warnings = policyWarnings(loaded.settings!, loaded.lines!).map((one) =>
      faultLine('svc.config.yaml', one).replaceAll(`${written.directory}/`, ''),
    );
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^policies\/finance\.yaml:3: policies\.0: no role and no binding gives the policy `finance`/,
        ),
        expect.stringMatching(
          /^policies\/finance\.yaml:10: policies\.0\.rules\.0\.resources\.0: the prefix `a` covers/,
        ),
      ]),
    );
  });
});

describe('team_files', () => {
  const within = (buckets: string[]) => ({ team_files: { 'finance.yaml': { buckets } } });

  it('keeps the rules of a file within its buckets, imported ones too', () => {
    put('finance.yaml', team('finance'));
    expect(faults(within(['main/finance']))).toEqual([]);
    expect(faults(within(['main/hr', 'archive/finance']))).toEqual([
      'policies/finance.yaml:10: policies.0.rules.0.resources.0: `main/finance` is not allowed in this file: `team_files` allows only `main/hr`, `archive/finance`',
    ]);
    expect(faults(within([]))).toEqual([expect.stringContaining('`team_files` allows nothing')]);
    put(
      'finance.yaml',
      dump({
        owner: 'f',
        policies: [
          {
            version: 1,
            name: 'all',
            rules: [{ effect: 'deny', actions: ['objects:read'], resources: [{ type: 'all' }] }],
          },
          {
            version: 1,
            name: 'iam',
            iam: {
              Version: '2012-10-17',
              Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::*' }],
            },
          },
        ],
      }),
    );
    const told = faults(within(['main/finance']));
    expect(told[0]).toMatch(/policies\.0\.rules\.0\.resources\.0: `type: all` is not allowed in this file/);
    expect(
      told.slice(1).every((one) => one.includes('policies.1') && one.includes('is not allowed in this file')),
    ).toBe(true);
    expect(told.length).toBeGreaterThan(1);
  });

  it('needs an entry for each file, and a file for each entry', () => {
    put('finance.yaml', team('finance'));
    put('hr.yaml', team('hr'));
    put('toString.yaml', team('x'));
    expect(
      faults({ team_files: { 'finance.yaml': { buckets: ['main/finance'] }, 'rh.yaml': { buckets: [] } } }),
    ).toEqual([
      expect.stringMatching(
        /team_files\.rh\.yaml: there is no file `rh\.yaml` in `policies_dir`; did you mean `hr\.yaml`\?$/,
      ),
      'policies/hr.yaml: `team_files` has no entry `hr.yaml` with the buckets that the file may name',
      'policies/toString.yaml: `team_files` has no entry `toString.yaml` with the buckets that the file may name',
    ]);
    expect(written.faults({ ...validConfig(), team_files: {} })).toEqual([
      'team_files: is about the files of `policies_dir`, which is missing',
    ]);
  });
});
