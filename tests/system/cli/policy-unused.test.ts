import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { AuditHistory } from '../../../src/audit/audit-history.ts';
import { auditPlace } from '../../../src/audit/audit-place.ts';
import type { AuditStoreOptions } from '../../../src/audit/audit-store.ts';
import { revisionOf } from '../../../src/access/policy-revision.ts';
import type { AuditRecord, ResourceOutcome } from '../../../src/audit/record.ts';
import { verifyAudit } from '../../../src/audit/verify.ts';
import type { AuditFiles, Edge } from '../../../src/cli/terminal/edge.ts';
import { findUnused } from '../../../src/cli/policy/policy-unused.ts';
import { loadPolicy } from '../../../src/config/load.ts';
import { ATOMIC_ACTIONS, resourceKindOf } from '../../../src/policy/model/action.ts';
import { decideRequest } from '../../../src/policy/index/decide-request.ts';
import { isUseRecorded } from '../../../src/policy/answers/narrowing.ts';
import { PolicySet } from '../../../src/policy/index/policy-set.ts';
import type { Resource } from '../../../src/policy/model/resource.ts';
import { AUDIT_SECRET, change, formerly, openAudit, PUBLIC_KEY } from '../../audit/support/audit-folder.ts';
import { interestingResources } from '../../policy/arbitraries.ts';
import { bucketName, definition as anyDefinition } from '../../policy/definitions.ts';
import { Machine } from '../../cli/svc-process.ts';

const ISSUER = 'https://login.example.com';
const HEAD = {
  auth: { public_origin: 'https://files.example.com', oidc: { issuer: ISSUER, client_id: 'svc' } },
  providers: ['main', 'p', 'P', 'other'].map((name) => ({ name, endpoint: 'https://s3.example.com' })),
};
const bucket = { type: 'bucket', provider: 'main', bucket: 'photos' };
const CONFIG = {
  ...HEAD,
  audit: { path: 'audit', instance: 'one', signing_secret: AUDIT_SECRET },
  policies: [
    {
      version: 1,
      name: 'team',
      rules: [
        {
          effect: 'allow',
          actions: ['buckets:read', 'objects:read', 'objects:write', 'objects:delete'],
          resources: [bucket],
        },
        { effect: 'allow', actions: ['objects:presign'], resources: [bucket] },
      ],
    },
  ],
  bindings: [{ groups: ['staff'], policies: ['team'] }],
};
const written = (data: unknown): string => dump(data, { noRefs: true });
const PERIOD = ['--since', '2026-05-01', '--to', '2026-06-01'];

let machine: Machine;
let now: number;

beforeAll(async () => {
  machine = await Machine.make();
});
beforeEach(async () => {
  now = Date.parse('2026-04-30T12:00:00Z');
  rmSync(join(machine.home, 'audit'), { recursive: true, force: true });
  await mkdir(join(machine.home, 'audit'), { mode: 0o700 });
  await writeFile(join(machine.home, 'svc.config.yaml'), written(CONFIG));
});
afterAll(() => machine.remove());

const open = (options: Partial<AuditStoreOptions> = {}) =>
  openAudit(join(machine.home, 'audit'), options, { now: () => now });

const revision = (): string => revisionOf(loadPolicy({ file: join(machine.home, 'svc.config.yaml'), env: {} }).policy!);

type Asked = Pick<ResourceOutcome, 'action' | 'rule'> & {
  readonly key: string;
  readonly outcome?: ResourceOutcome['outcome'];
};

function record(subject: string, asked: readonly Asked[], more: Partial<AuditRecord> = {}): AuditRecord {
  const resources = asked.map(({ key, outcome = 'done', ...rest }) => ({
    provider: 'main',
    bucket: 'photos',
    key,
    outcome,
    ...rest,
  }));
  return change('', {
    who: { issuer: ISSUER, subject, name: subject, via: 'web', credentialId: 'c', policyRevision: revision() },
    resources,
    ...more,
  });
}

const placeOf = ({ kind: _kind, ...place }: Resource) => place;

/** Each on a day of its own, beginning with the first of May. */
async function audit(records: readonly AuditRecord[], reads: 'all' | 'none' = 'all', instance = 'one'): Promise<void> {
  const store = await open({ reads, instance });
  for (const one of [record('ada', []), record('ada', [])]) {
    await store.write(one);
    now = Math.max(now, Date.parse('2026-05-01T12:00:00Z'));
  }
  for (const [i, one] of records.entries()) {
    now = Date.parse('2026-05-01T12:00:00Z') + i * 86_400_000;
    await store.write(one);
  }
  await store.close();
}

const unused = (...options: readonly string[]) => machine.svc('policy', 'unused', ...PERIOD, ...options);
const rulesIn = (stdout: string) => (JSON.parse(stdout) as { rules: readonly Record<string, unknown>[] }).rules;

describe('svc policy unused', () => {
  it('counts what was allowed, and neither what was denied nor what was left undone for that', async () => {
    const get = (key: string, more: Partial<Asked> = {}): Asked => ({
      action: 'objects:get',
      key,
      rule: 'team 0',
      ...more,
    });
    await audit([
      record('ada', [get('a/x/1.jpg')]),
      record(
        'bob',
        [get('a/y/2.jpg'), { action: 'objects:write', key: 'a/x/3.jpg', rule: 'team 0', outcome: 'failed' }],
        { outcome: 'partly' },
      ),
      record('eve', [get('b/1.jpg', { outcome: 'denied' }), get('b/2.jpg', { outcome: 'untouched' })], {
        outcome: 'denied',
      }),
    ]);
    const { status, stdout, stderr } = await unused('--json');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(
        /^note: nothing was written on 28 of 31 days, the longest time from 2026-05-04 to 2026-05-31: [^\n]*\n$/,
      ),
    });
    expect(rulesIn(stdout)).toMatchObject([
      {
        policy: 'team',
        rule: 0,
        count: 3,
        people: 2,
        first: '2026-05-01T12:00:00.000Z',
        last: '2026-05-02T12:00:00.000Z',
        unused: ['objects:delete'],
        notJudged: ['buckets:list', 'objects:list'],
      },
      {
        policy: 'team',
        rule: 1,
        count: 0,
        people: 0,
        first: null,
        last: null,
        unused: ['objects:presign'],
        proposed: [],
      },
    ]);
    expect(rulesIn(stdout)[0]!['proposed']).toEqual([
      { effect: 'allow', actions: ['buckets:list', 'objects:list'], resources: [bucket] },
      {
        effect: 'allow',
        actions: ['objects:get', 'objects:write'],
        resources: [{ ...bucket, type: 'prefix', prefix: 'a/' }],
      },
    ]);
  });

  it('begins no line with a name of the configuration or of the audit, and brings no control character, in a pipe too', async () => {
    const named = 'two\nlines\u202e';
    const rule = (prefix: string) => ({
      effect: 'allow',
      actions: ['objects:get', 'objects:delete'],
      resources: [{ ...bucket, type: 'prefix', prefix }],
    });
    await writeFile(
      join(machine.home, 'svc.config.yaml'),
      written({
        ...CONFIG,
        policies: [{ version: 1, name: 'team', rules: [rule(`${named}/`), rule(named)] }],
        bindings: [
          { groups: [named], policies: ['team'] },
          { subjects: [{ issuer: ISSUER, subject: named }], policies: ['team'] },
        ],
      }),
    );
    await audit([record(named, [{ action: 'objects:get', key: `${named}/${named}/a.jpg`, rule: 'team 0' }])]);
    const { status, stdout, stderr } = await unused();
    expect([status, stdout]).toEqual([0, expect.stringContaining('group two\\u{a}lines\\u{202e}')]);
    expect(stdout).toMatch(/proposed: allow .*two\\u\{a\}lines/);
    expect(
      `${stdout}${stderr}`
        .split('\n')
        .filter((line) => line.startsWith('lines') || /[\p{Cc}\p{Bidi_Control}]/u.test(line)),
    ).toEqual([]);
  });

  it('prints a patch that git takes, and that leaves nothing to propose', async () => {
    await audit([record('ada', [{ action: 'objects:get', key: 'a/1.jpg', rule: 'team 0' }])]);
    const { stdout, status } = await unused('--patch');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^--- a\/svc\.config\.yaml\n\+\+\+ b\/svc\.config\.yaml\n@@ /),
    ]);
    execFileSync('git', ['apply'], { cwd: machine.home, input: stdout });
    expect(await unused('--patch')).toEqual({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(
        /no request was decided by the policies of this file[^]*of 1 of 1 use the rule is not known/,
      ),
    });
  });

  it('refuses an audit that begins later, and says from when it can be asked', async () => {
    now += 345;
    await audit([]);
    const { status, stdout, stderr } = await machine.svc(
      'policy',
      'unused',
      '--since',
      '2026-04-01',
      '--to',
      '2026-06-01',
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /the audit begins on 2026-04-30, after 2026-04-01: .*--since 2026-04-30T12:00:00.345Z/,
      ),
    });
    expect(
      await machine.svc('policy', 'unused', '--since', '2026-04-30T12:00:00.345Z', '--to', '2026-06-01'),
    ).toMatchObject({ status: 0 });
  });

  it('counts an instance that began later, and refuses one whose lines were removed', async () => {
    await audit([]);
    now = Date.parse('2026-05-20T12:00:00Z');
    await audit([record('ada', [{ action: 'objects:presign', key: 'a', rule: 'team 1' }])], 'all', 'two');
    expect(rulesIn((await unused('--json')).stdout)[1]).toMatchObject({ count: 1 });
    now = Date.parse('2026-05-25T12:00:00Z');
    // The second start removes what was the last segment at the first.
    for (let i = 0; i < 2; i += 1) {
      const store = await open({ instance: 'two', retentionMs: 1_000 });
      await store.write(record('ada', []));
      await store.close();
    }
    expect(await unused()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the audit begins on 2026-05-25, after 2026-05-01'),
    });
  });

  it('refuses an audit without a line of that time', async () => {
    const store = await open();
    await store.write(record('ada', []));
    await store.close();
    expect(await unused()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('the audit has no lines in that time'),
    });
  });

  it('refuses an audit in which a line was changed, and one that is not there', async () => {
    await audit([record('ada', [{ action: 'objects:get', key: 'a/1.jpg', rule: 'team 0' }])]);
    const file = join(machine.home, 'audit/one/00000001.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"ada"', '"eve"'));
    expect(await unused()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('the audit is damaged or was changed (one)'),
    });
    rmSync(join(machine.home, 'audit/one'), { recursive: true });
    expect(await unused()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('contains no audit lines'),
    });
  });

  it('does not judge reading where an instance did not write down what was read', async () => {
    await audit([], 'none');
    const { stdout, stderr } = await unused('--json');
    expect(stderr).toContain('`audit.reads` was `none`');
    expect(rulesIn(stdout)[0]).toMatchObject({
      unused: ['objects:write', 'objects:delete'],
      notJudged: ['buckets:list', 'objects:list', 'objects:get'],
      proposed: [{ actions: ['buckets:list', 'objects:list', 'objects:get'], resources: [bucket] }],
    });
  });

  it('takes what began and did not end for use, and a folder of an archive for all in it', async () => {
    const store = await open();
    await store.write(record('ada', []));
    now = Date.parse('2026-05-02T12:00:00Z');
    const {
      outcome: _outcome,
      why: _why,
      bytes: _bytes,
      durationMs: _ms,
      intent: _intent,
      ...intent
    } = record('ada', [{ action: 'objects:delete', key: 'a/b/1.jpg', rule: 'team 0' }]);
    await store.intend({ ...intent, resources: intent.resources.map(({ outcome: _of, ...rest }) => rest) });
    await store.write(
      record('ada', [], {
        operation: 'object/archive',
        resources: [{ provider: 'main', bucket: 'photos', prefix: 'a/c/', outcome: 'done' }],
      }),
    );
    await store.close();
    expect(rulesIn((await unused('--json')).stdout)[0]).toMatchObject({
      unused: ['objects:write'],
      proposed: [{}, { actions: ['objects:get', 'objects:delete'], resources: [{ prefix: 'a/' }] }],
    });
  });

  it('counts lines of an earlier version, and says how many it leaves out because they may mean another object', async () => {
    const former = (
      key: string,
      operation: AuditRecord['operation'],
      action: string | undefined,
      outcome: ResourceOutcome['outcome'],
    ) =>
      record('ada', [], {
        operation,
        outcome: 'partly',
        resources: [
          formerly(`main/photos/${key}`, { ...(action !== undefined && { action, rule: 'team 0' }), outcome }),
        ],
      });
    await audit([
      former('a/b/1.jpg', 'object/read', 'objects:get', 'failed'),
      former('a/2024/1.jpg', 'object/delete', 'objects:delete', 'done'),
      former('x/2024/1.jpg', 'object/write', 'objects:write', 'failed'),
      former('x/2024/1.jpg', 'object/write', 'objects:write', 'denied'),
      former('x/2024/', 'object/archive', undefined, 'done'),
    ]);
    const { stdout, stderr } = await unused('--json');
    expect(rulesIn(stdout)[0]).toMatchObject({
      count: 2,
      unused: ['objects:write'],
      proposed: [{}, { actions: ['objects:get', 'objects:delete'], resources: [{ prefix: 'a/' }] }],
    });
    expect(stderr).toContain(
      'note: 2 lines of an earlier version are left out, because they do not say for certain which object they are about: what they used may be called unused\n',
    );
    await audit([former('a/b/1.jpg', 'object/read', 'objects:get', 'done')], 'all', 'two');
    expect((await unused('--json')).stderr).toContain('note: 2 lines of an earlier version');
  });

  it('leaves what a case of `policy.tests` expects to be allowed', async () => {
    const of = { action: 'objects:presign', path: 'main/photos/break/glass', subject: 'ada' };
    await writeFile(
      join(machine.home, 'cases.yaml'),
      written([
        { ...of, groups: ['staff'], expect: 'allow' },
        { ...of, expect: 'deny' },
      ]),
    );
    await writeFile(join(machine.home, 'svc.config.yaml'), written({ ...CONFIG, policy: { tests: ['cases.yaml'] } }));
    await audit([]);
    expect(rulesIn((await unused('--json')).stdout)[1]).toMatchObject({
      count: 0,
      unused: [],
      proposed: [{ actions: ['objects:presign'], resources: [{ prefix: 'break/' }] }],
    });
  });

  it('tells of policies that are built in or imported, and leaves them', async () => {
    const iam = {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::photos/*' }],
    };
    await writeFile(
      join(machine.home, 'svc.config.yaml'),
      written({
        ...CONFIG,
        policy: { defaults: true },
        policies: [{ version: 1, name: 'aws', iam, provider: 'main' }],
        bindings: [{ groups: ['staff'], policies: ['aws', 'default-write'] }],
      }),
    );
    await audit([record('ada', [{ action: 'objects:get', key: 'a/1', rule: 'aws 0' }])]);
    const { stdout } = await unused();
    expect(stdout).toContain('  enough, in the imported document: allow objects:get on main/photos/a/…\n');
    expect(stdout).toContain('  enough, in a policy of your own: nothing\n');
    expect((await unused('--patch')).stdout).toBe('');
  });

  it('proposes to remove what is given to somebody who did nothing, and not to one who only listed', async () => {
    const rules = [{ effect: 'allow', actions: ['objects:read'], resources: [bucket] }];
    await writeFile(
      join(machine.home, 'svc.config.yaml'),
      written({
        ...CONFIG,
        policies: ['one', 'two'].map((name) => ({ version: 1, name, rules })),
        bindings: [
          { subjects: ['ada'], policies: ['one'] },
          { subjects: ['carla'], policies: ['two'] },
        ],
      }),
    );
    await audit([record('ada', [], { operation: 'object/list' })]);
    const { stdout } = await unused();
    expect(stdout).toContain('  never used: nobody to whom it is given did anything\n  proposed: remove it\n');
    expect(rulesIn((await unused('--json')).stdout).map(({ proposed }) => proposed)).toEqual([
      [{ effect: 'allow', actions: ['objects:list'], resources: [bucket] }],
      [],
    ]);
  });

  it('edits the files of teams, too', async () => {
    await mkdir(join(machine.home, 'teams'), { recursive: true });
    await writeFile(join(machine.home, 'teams/a.yaml'), written({ owner: 'a@example.com', policies: CONFIG.policies }));
    await writeFile(
      join(machine.home, 'svc.config.yaml'),
      written({
        ...CONFIG,
        policies: [{ version: 1, name: 'old', rules: CONFIG.policies[0]!.rules }],
        policies_dir: 'teams',
        bindings: [{ groups: ['staff'], policies: ['old', 'team'] }],
      }),
    );
    await audit([record('ada', [{ action: 'objects:presign', key: 'a/1', rule: 'team 1' }])]);
    const { stdout } = await unused('--patch');
    expect(stdout.match(/^--- .*$/gm)).toEqual(['--- a/svc.config.yaml', '--- a/teams/a.yaml']);
    execFileSync('git', ['apply'], { cwd: machine.home, input: stdout });
    expect(await readFile(join(machine.home, 'teams/a.yaml'), 'utf8')).toMatch(/prefix: a\//);
    expect(await machine.svc('policy', 'list', '--json')).toMatchObject({ status: 0 });
  });

  it('says so where the file cannot be edited, and answers 1', async () => {
    await writeFile(
      join(machine.home, 'svc.config.yaml'),
      written({
        ...CONFIG,
        policies: [
          {
            version: 1,
            name: 'team',
            rules: [{ effect: 'allow', actions: ['${ACTION:-objects:delete}', 'objects:list'], resources: [bucket] }],
          },
        ],
      }),
    );
    await audit([]);
    expect(await unused()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(
        '`svc.config.yaml` cannot be edited: the patched configuration would differ from the intended one',
      ),
    });
  });

  it('answers 2 to a time that is none, and where policy is off', async () => {
    for (const option of ['--since', '--from'])
      expect(await machine.svc('policy', 'unused', option, 'may')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('`may` is no time'),
      });
    expect(await machine.svc('policy', 'unused', '--since', '2026-05-02', '--to', '2026-05-01')).toMatchObject({
      status: 2,
    });
    await writeFile(join(machine.home, 'svc.config.yaml'), written({ ...CONFIG, policy: { enabled: false } }));
    expect(await unused()).toMatchObject({ status: 2, stderr: expect.stringContaining('no rule is used') });
  });
});

describe('the patch of `svc policy unused`', () => {
  const files: Partial<AuditFiles> = {
    auditPlace,
    verifyAudit,
    revisionOf,
    history: ({ path, keys }, span) => new AuditHistory(path, keys, span),
  };

  it('leaves allowed whatever an audit says was allowed, on random policies and requests', async () => {
    let [kept, lost] = [0, 0];
    const picks = fc.array(
      fc.record({
        at: fc.nat(),
        person: fc.nat(2),
        form: fc.constantFrom('named', 'named', 'named', 'key', 'old', 'before'),
      }),
      { minLength: 1, maxLength: 15 },
    );
    const people = [
      { subject: 's1', groups: ['g1'] },
      { subject: 's2', groups: ['g2', 'g3'] },
      { subject: 's3', groups: ['g1', 'g2'] },
    ].map((one) => ({ issuer: ISSUER, ...one }));
    await fc.assert(
      fc.asyncProperty(anyDefinition, picks, async (one, asked) => {
        rmSync(join(machine.home, 'audit'), { recursive: true, force: true });
        await mkdir(join(machine.home, 'audit'), { mode: 0o700 });
        const policies = one.policies.map(({ name, rules }) => ({
          version: 1,
          name,
          rules: rules
            .map((rule) => ({
              ...rule,
              resources: rule.resources.filter((selector) => !('key' in selector) || selector.key !== ''),
            }))
            .filter(({ resources }) => resources.length > 0),
        }));
        const config = {
          ...HEAD,
          audit: CONFIG.audit,
          policies,
          roles: Object.fromEntries(one.roles.map((role) => [role.name, { policies: role.policies }])),
          bindings: one.bindings,
        };
        const file = join(machine.home, 'random.yaml');
        writeFileSync(file, written(config));
        const before = loadPolicy({ file, env: {} }).policy!;
        const set = new PolicySet(before);
        const resources = interestingResources(one.policies)
          .map((resource) => ('bucket' in resource ? { ...resource, bucket: bucketName(resource.bucket) } : resource))
          .filter((resource) => resource.kind !== 'object' || resource.key !== '');
        const requests = resources.flatMap((resource) =>
          ATOMIC_ACTIONS.filter((action) => resourceKindOf(action) === resource.kind).map((action) => ({
            action,
            resource,
          })),
        );
        const used: { readonly who: (typeof people)[number]; readonly request: (typeof requests)[number] }[] = [];
        now = Date.parse('2026-04-30T12:00:00Z');
        const store = await open();
        await store.write(record('ada', []));
        const ordered = asked.toSorted((a, b) => Number(b.form === 'before') - Number(a.form === 'before'));
        for (const { at, person, form } of ordered) {
          if (form !== 'before') now = Date.parse('2026-05-05T12:00:00Z');
          const who = people[person]!;
          const allowed = requests.filter(
            ({ action, resource }) => decideRequest(set.grantsFor(who).grants, action, resource).allowed,
          );
          const request = allowed[at % allowed.length];
          if (request === undefined) continue;
          if (form !== 'before') used.push({ who, request });
          const { rule } = decideRequest(set.grantsFor(who).grants, request.action, request.resource);
          const via = form === 'key' ? ('apiKey' as const) : ('web' as const);
          const by =
            form === 'key' ? { policy: 'scope of k1', rule: 0 } : form === 'old' ? { policy: 'one', rule: 0 } : rule!;
          const line = record(who.subject, [], {
            who: {
              issuer: ISSUER,
              subject: who.subject,
              name: '',
              via,
              credentialId: 'c',
              policyRevision: form === 'old' ? 'another' : revisionOf(before),
            },
          });
          await store.write({
            ...line,
            resources: [
              {
                ...placeOf(request.resource),
                action: request.action,
                rule: `${by.policy} ${by.rule}`,
                outcome: 'done',
              },
            ],
          });
        }
        await store.close();
        if (used.length === 0) return;
        const edge = { env: {}, audit: () => Promise.resolve(files) } as unknown as Edge;
        const { patch } = await findUnused(edge, { config: file, since: '2026-05-01', to: '2026-06-01' });
        // The file has an absolute path.
        if (patch !== '') execFileSync('patch', ['-s', '-p1', '-d', '/'], { input: patch });
        const after = new PolicySet(loadPolicy({ file, env: {} }).policy!);
        for (const {
          who,
          request: { action, resource },
        } of used) {
          if (!decideRequest(after.grantsFor(who).grants, action, resource).allowed)
            throw new Error(
              `${JSON.stringify(who)} lost ${action} on ${JSON.stringify(resource)}: ${readFileSync(file, 'utf8')}`,
            );
          kept++;
        }
        for (const who of people) {
          for (const { action, resource } of requests) {
            const [was, is] = [set, after].map(
              (of) => decideRequest(of.grantsFor(who).grants, action, resource).allowed,
            );
            if (is! && !was!) throw new Error(`${JSON.stringify(who)} gained ${action} on ${JSON.stringify(resource)}`);
            if (was! && !is!) lost += 1;
            if (was! && !is! && !isUseRecorded(action, true) && used.some((one) => one.who === who))
              throw new Error(`${JSON.stringify(who)} lost ${action}, which is not judged`);
          }
        }
      }),
      { numRuns: Number(process.env['SVC_TEST_AUDITS'] ?? 25) },
    );
    expect([kept > 10, lost > 1_000, PUBLIC_KEY.length]).toEqual([true, true, 43]);
  });
});
