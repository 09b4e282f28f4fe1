import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import Papa from 'papaparse';
import { writeReview } from '../../../src/cli/review/access-review.ts';
import type { LoadedPolicies } from '../../../src/cli/policy/configured-policies.ts';
import { applyReview, type AppliedReview } from '../../../src/cli/review/review-apply.ts';
import { ACTION_WORDS, ReviewRows } from '../../../src/cli/review/review-row.ts';
import { loadPolicy } from '../../../src/config/load.ts';
import { ATOMIC_ACTIONS, resourceKindOf, type AtomicAction } from '../../../src/policy/model/action.ts';
import { principalId, type Principal } from '../../../src/policy/index/principal.ts';
import { keyFault } from '../../../src/policy/model/name.ts';
import { PolicySet } from '../../../src/policy/index/policy-set.ts';
import { reviewAccess, reviewedPlaces, type ReviewedLine } from '../../../src/policy/answers/review.ts';
import { interestingResources } from '../../policy/arbitraries.ts';
import { bucketName, definition, heldNaively, people, type PlainDefinition } from '../../policy/definitions.ts';
import { coversNaively, decideNaively } from '../../policy/oracle.ts';

/** The whole of it takes minutes: `SVC_TEST_PAIRS=10000`. */
const DEFINITIONS = Number(process.env['SVC_TEST_PAIRS'] ?? 150);

const kept: string[] = [];
let directory: string;
let file: string;
beforeEach(() => {
  kept.push((directory = mkdtempSync(join(tmpdir(), 'svc-apply-'))));
  file = join(directory, 'svc.yaml');
});
afterAll(() => kept.forEach((one) => rmSync(one, { recursive: true })));

type Row = Record<string, string>;

function put(name: string, content: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true });
  writeFileSync(join(directory, name), content);
}

function load(): LoadedPolicies {
  const loaded = loadPolicy({ file, env: {} });
  if (loaded.faults !== undefined) throw new Error(JSON.stringify(loaded.faults));
  const { policy, ...rest } = loaded;
  return { policies: new PolicySet(policy), definition: policy, ...rest };
}

async function review(): Promise<Row[]> {
  const to = new PassThrough();
  const written = text(to);
  await writeReview(load(), { config: file, format: 'csv' }, to);
  to.end();
  return Papa.parse<Row>(await written, { header: true, skipEmptyLines: true }).data;
}

/** Takes a review, decides about its lines, and makes the patch. `delimiter`: as the program that it was filled in with writes it. */
async function decide(decision: (row: Row) => Row | undefined, { delimiter = ',' } = {}): Promise<AppliedReview> {
  const rows = (await review()).map((row) => ({ ...row, ...decision(row) }));
  put('filled.csv', `\ufeff${Papa.unparse(rows, { delimiter })}`);
  return applyReview(load(), { env: {}, file, filled: join(directory, 'filled.csv'), directory });
}

function gitApply(patch: string): void {
  execFileSync('git', ['apply', '-'], { cwd: directory, input: patch });
}

const refusal = async (given: Promise<AppliedReview>): Promise<string> =>
  given.then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  );
const remove = { decision: 'remove' };

const AUTH = `auth:
  enabled: true
  public_origin: https://files.example.com
  oidc: {issuer: https://login.example.com, client_id: svc}
`;
const MAIN = `${AUTH}providers:
  - {name: main, endpoint: https://s3.example.com}
policies_dir: policies
policies:
  # For everybody.
  - version: 1
    name: shared
    rules:
      - effect: allow  # both read
        actions: [objects:read, objects:write]
        resources:
          - {type: bucket, provider: main, bucket: wiki}   # the wiki
          - {type: prefix, provider: main, bucket: papers, prefix: open/}
roles:
  member: {policies: [shared]}   # the role
bindings:
  # The people.
  - {groups: [staff, guests], role: member}
  - groups: [finance]  # since May
    policies: [books, shared]
`;
const TEAM = `owner: finance@example.com
policies:
  - version: 1
    name: books
    rules:
      - {effect: allow, actions: [objects:get, objects:delete], resources: [{type: bucket, provider: main, bucket: books}]}
`;

describe('svc access review --apply', () => {
  beforeEach(() => {
    put('svc.yaml', MAIN);
    put('policies/finance.yaml', TEAM);
  });

  it('takes a group out of a binding when all that it has by it goes', async () => {
    const { patch, removed, changes } = await decide(({ who }) => (who === 'group guests' ? remove : undefined));
    gitApply(patch);
    expect(readFileSync(file, 'utf8')).toBe(MAIN.replace('[staff, guests]', '[staff]'));
    expect([removed, changes]).toEqual([
      2,
      [expect.objectContaining({ who: [[{ group: 'guests' }]], gained: { admin: false, regions: [] } })],
    ]);
  });

  it('takes a policy from a binding when another one stays', async () => {
    gitApply(
      (await decide(({ who, policy }) => (who === 'group finance' && policy === 'shared' ? remove : undefined))).patch,
    );
    expect(readFileSync(file, 'utf8')).toBe(MAIN.replace('[books, shared]', '[books]'));
  });

  it('takes a bucket out of a rule when everybody loses it, and an action when nobody keeps it, in the file of a team too', async () => {
    gitApply(
      (
        await decide(
          ({ place, policy }) =>
            place === 'main/wiki' ? remove : policy === 'books' ? { decision: 'Narrow', narrow_to: 'read' } : undefined,
          { delimiter: ';' },
        )
      ).patch,
    );
    expect(readFileSync(file, 'utf8')).toBe(
      MAIN.replace('          - {type: bucket, provider: main, bucket: wiki}   # the wiki\n', ''),
    );
    expect(readFileSync(join(directory, 'policies/finance.yaml'), 'utf8')).toBe(
      TEAM.replace('[objects:get, objects:delete]', '[objects:get]'),
    );
  });

  it('moves selectors into a rule of their own where a rule is narrowed in one bucket', async () => {
    gitApply(
      (
        await decide(({ place }) =>
          place === 'main/papers' ? { decision: 'narrow', narrow_to: 'list, objects:get' } : undefined,
        )
      ).patch,
    );
    const moved =
      '      - { effect: allow, actions: [objects:read], resources: [{ type: prefix, provider: main, bucket: papers, prefix: open/ }] }\n';
    expect(readFileSync(file, 'utf8')).toBe(
      MAIN.replace('          - {type: prefix, provider: main, bucket: papers, prefix: open/}\n', moved),
    );
  });

  it('says who else would lose, and changes nothing', async () => {
    const said = await refusal(
      decide(({ who, place }) => (who === 'group staff' && place === 'main/wiki' ? remove : undefined)),
    );
    expect(said).toMatch(
      /^[0-9a-f]{16} \(group staff at main\/wiki\): cannot be taken away without others losing: binding 1 also gives group staff at main\/papers \(.*\); rule 1 of `shared` also is for group guests at main\/wiki \(.*\), group finance at main\/wiki/,
    );
  });

  it('refuses lines that are not there any more, that were changed in the table, and decisions that cannot be meant', async () => {
    const rows = await review();
    put('filled.csv', Papa.unparse(rows.map((row) => ({ ...row, ...(row['who'] === 'group guests' && remove) }))));
    const apply = () => applyReview(load(), { env: {}, file, filled: join(directory, 'filled.csv'), directory });
    put('svc.yaml', MAIN.replace('[objects:read, objects:write]', '[objects:read]'));
    expect(await refusal((async () => apply())())).toMatch(
      /^line \d of the table \([0-9a-f]{16}, group guests at main\/\w+\): the configuration has no such line any more; it was changed since, so take a new review\nline \d/,
    );
    put('svc.yaml', `# moved\n${MAIN}`);
    expect(apply().removed).toBe(2);
    expect(await refusal(decide(() => ({ ...remove, may: 'list' })))).toContain(
      '`may` was changed in the table: the configuration says `',
    );
    expect(await refusal(decide(() => ({ decision: 'drop' })))).toContain(
      '`drop` is no decision: write `keep`, `remove` or `narrow`',
    );
    expect(await refusal(decide(() => ({ decision: 'narrow' })))).toContain(
      '`narrow` needs in `narrow_to` what is to stay',
    );
    expect(await refusal(decide(() => ({ decision: 'narrow', narrow_to: 'look' })))).toContain(
      '`look` is nothing that somebody may do',
    );
    expect(await refusal(decide(() => ({ decision: 'narrow', narrow_to: 'read, share' })))).toContain(
      '`narrow_to` names an action that its rule does not allow',
    );
    expect(await refusal(decide(() => ({ decision: 'keep', narrow_to: 'read' })))).toContain(
      '`narrow_to` goes with the decision `narrow`',
    );
    writeFileSync(
      join(directory, 'filled.csv'),
      Buffer.from('id,place,who,may,decision\r\nx,y,z,\x85,remove\r\n', 'latin1'),
    );
    expect(await refusal((async () => apply())())).toContain('is not UTF-8');
    put('filled.csv', 'place,may\r\n');
    expect(await refusal((async () => apply())())).toContain('has no column `id`, `who`, `decision`');
    put('filled.csv', Papa.unparse([{ ...rows[0], ...remove }, rows[0]!]));
    expect(await refusal((async () => apply())())).toContain('the id is used twice with different decisions');
    put('filled.csv', Papa.unparse([{ ...rows[0], decision: 'Keep' }, rows[0]!]));
    expect((await (async () => apply())()).patch).toBe('');
    put(
      'filled.csv',
      Papa.unparse(rows.map((row) => ({ ...row, id: rows[0]!['id'], ...remove, place: rows[1]!['place'] }))),
    );
    expect(await refusal((async () => apply())())).toContain('`place` was changed in the table');
  });

  it('does not take a deny away, nor a group from what denies it something', async () => {
    const closed = `${MAIN}  - {groups: [staff, guests], policies: [closed]}\n`.replace(
      'policies:\n  # For',
      'policies:\n  - {version: 1, name: closed, rules: [{effect: deny, actions: [objects:get], resources: [{type: bucket, provider: main, bucket: wiki}]}, {effect: allow, actions: [objects:get], resources: [{type: bucket, provider: main, bucket: extra}]}]}\n  # For',
    );
    put('svc.yaml', closed);
    expect(await refusal(decide(({ effect }) => (effect === 'deny' ? remove : undefined)))).toContain('it is a deny');
    gitApply((await decide(({ place }) => (place === 'main/extra' ? remove : undefined))).patch);
    expect(readFileSync(file, 'utf8')).toContain(
      'rules: [{effect: deny, actions: [objects:get], resources: [{type: bucket, provider: main, bucket: wiki}]}]}',
    );
    put('svc.yaml', closed);
    const said = await refusal(
      decide(({ who, place }) => (who === 'group staff' && place === 'main/extra' ? remove : undefined)),
    );
    expect(said).toContain('also gives group staff at main/wiki (must not: read everything in it)');
  });

  it('says so when a case of `policy.tests` would fail after it', async () => {
    put('svc.yaml', `${MAIN}policy: {tests: [cases.yaml]}\n`);
    put('cases.yaml', '- {subject: ada, groups: [guests], action: objects:get, path: main/wiki/a, expect: allow}\n');
    expect(await refusal(decide(({ who }) => (who === 'group guests' ? remove : undefined)))).toMatch(
      /^the patched configuration would not be valid:\n.*cases\.yaml:1: case 1: .* is deny, not allow/,
    );
  });

  it('leaves built-in and imported policies as they are, and takes administrators out of their binding', async () => {
    put(
      'svc.yaml',
      `${MAIN.replace('bindings:', '  admin: {policies: [default-viewer, imported]}\nbindings:\n  - {groups: [admins, ops], role: admin}')}policy: {defaults: true}\n`.replace(
        'policies:\n  # For',
        "policies:\n  - {version: 1, name: imported, provider: main, iam: {Version: '2012-10-17', Statement: [{Effect: Allow, Action: 's3:PutObject', Resource: 'arn:aws:s3:::inbox/*'}]}}\n  # For",
      ),
    );
    expect(
      await refusal(
        decide(({ who, policy, place }) =>
          who === 'group ops' && policy === 'default-viewer' && place === 'main/wiki' ? remove : undefined,
        ),
      ),
    ).toContain('rule 1 of `default-viewer` is built in');
    expect(
      await refusal(decide(({ who, policy }) => (who === 'group ops' && policy === 'imported' ? remove : undefined))),
    ).toContain('rule 1 of `imported` is imported from an IAM document');
    expect(
      await refusal(decide(({ who, place }) => (who === 'group ops' && place === 'the service' ? remove : undefined))),
    ).toContain('the same binding or local user also gives group ops at');
    const before = readFileSync(file, 'utf8');
    const { patch, changes } = await decide(({ who }) => (who === 'group ops' ? remove : undefined));
    gitApply(patch);
    expect(readFileSync(file, 'utf8')).toBe(before.replace('[admins, ops]', '[admins]'));
    expect(changes?.[0]?.lost.admin).toBe(true);
  });
});

it('narrows what a deny cuts in two, though it then stands in another order', async () => {
  put(
    'svc.yaml',
    `${AUTH}providers:
  - {name: main, endpoint: https://s3.example.com}
policies:
  - version: 1
    name: papers
    rules:
      - {effect: allow, actions: [objects:read, objects:write, objects:presign], resources: [{type: bucket, provider: main, bucket: papers}]}
      - {effect: deny, actions: [objects:write], resources: [{type: prefix, provider: main, bucket: papers, prefix: final/}]}
bindings:
  - {groups: [staff], policies: [papers]}
`,
  );
  const { patch } = await decide(({ effect }) =>
    effect === 'allow'
      ? { decision: 'narrow', narrow_to: `${ACTION_WORDS['objects:write']}, ${ACTION_WORDS['objects:presign']}` }
      : undefined,
  );
  gitApply(patch);
  expect(readFileSync(file, 'utf8')).toContain('actions: [objects:write, objects:presign]');
});

it('takes a key away beside what denies cut off, though these then stand in another order', async () => {
  put(
    'svc.yaml',
    `${AUTH}providers:
  - {name: main, endpoint: https://s3.example.com}
policies:
  - version: 1
    name: all
    rules:
      - {effect: allow, actions: [objects:get], resources: [{type: bucket, provider: main, bucket: papers}]}
      - {effect: deny, actions: [objects:get], resources: [{type: prefix, provider: main, bucket: papers, prefix: Aa}, {type: prefix, provider: main, bucket: papers, prefix: a}]}
  - version: 1
    name: key
    rules:
      - {effect: allow, actions: [objects:get], resources: [{type: object, provider: main, bucket: papers, key: A}]}
      - {effect: allow, actions: [objects:list], resources: [{type: bucket, provider: main, bucket: papers}]}
bindings:
  - {groups: [staff], policies: [all, key]}
`,
  );
  const { patch } = await decide(({ policy, may }) => (policy === 'key' && may?.includes('read') ? remove : undefined));
  gitApply(patch);
  expect(readFileSync(file, 'utf8')).not.toContain('key: A');
});

const ISSUER = 'https://login.example.com';

/** A configuration that says the same. */
function configOf({ policies, roles, bindings, localUsers }: PlainDefinition): string {
  return dump(
    {
      auth: {
        enabled: true,
        public_origin: 'https://files.example.com',
        oidc: { issuer: ISSUER, client_id: 'svc' },
        local_users: localUsers.map(({ subject, roles: held }) => ({ subject, roles: held })),
      },
      providers: ['p', 'P', 'other'].map((name) => ({ name, endpoint: 'https://s3.example.com' })),
      policies: policies.map(({ name, rules }) => ({ version: 1, name, rules })),
      roles: Object.fromEntries(roles.map(({ name, policies: held }) => [name, { policies: held }])),
      bindings: bindings.map((binding) =>
        'subjects' in binding ? { ...binding, subjects: binding.subjects.map(({ subject }) => subject) } : binding,
      ),
    },
    { flowLevel: 5, noRefs: true },
  );
}

const writable = definition
  .filter(({ enabled }) => enabled)
  .map((given) => ({
    ...given,
    policies: given.policies.map((policy) => ({
      ...policy,
      rules: policy.rules
        .map((rule) => ({
          ...rule,
          resources: rule.resources.filter((one) => one.type !== 'object' || one.key !== ''),
        }))
        .filter(({ resources }) => resources.length > 0),
    })),
  }));

/** What a reviewer does: ends all that somebody has, or a rule, or a place; narrows; or decides line by line. */
const style = fc.record({
  by: fc.constantFrom('who', 'policy', 'place', 'rule at place', 'line'),
  picks: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 40 }),
  keep: fc.subarray([...ATOMIC_ACTIONS], { minLength: 1 }),
});

describe('a patch that carries decisions out', () => {
  it(
    'takes away what was decided from whom it was decided, and nothing else from anybody, and gives nothing',
    async () => {
      let done = 0;
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(writable, style, async (given, { by, picks, keep }) => {
          put('svc.yaml', configOf(given));
          const loaded = load();
          const groups = new Map<string, number>();
          const chosen = new Map<string, readonly AtomicAction[] | undefined>();
          const rows = new ReviewRows(loaded);
          const places = reviewedPlaces(loaded.definition, loaded.buckets);
          const lines = [...reviewAccess(loaded.definition, places)].map((line) => ({ line, row: rows.of(line) }));
          if (lines.length === 0) return;
          for (const { line, row } of lines) {
            const group = {
              who: row.who,
              policy: row.policy,
              place: row.place,
              'rule at place': `${row.policy} ${row.rule} ${row.place}`,
              line: row.id,
            }[by];
            if (!groups.has(group)) groups.set(group, picks[groups.size % picks.length]!);
            const pick = groups.get(group)!;
            if (row.effect === 'deny' || pick > 2) continue;
            const narrowTo = line.kind === 'rule' ? keep.filter((action) => line.written.actions.includes(action)) : [];
            if (pick === 2 && narrowTo.length > 0) chosen.set(row.id, narrowTo);
            else if (pick < 2) chosen.set(row.id, undefined);
          }
          let applied: AppliedReview;
          try {
            applied = await decide(({ id }) =>
              !chosen.has(id!)
                ? undefined
                : chosen.get(id!) === undefined
                  ? remove
                  : {
                      decision: 'narrow',
                      narrow_to: chosen
                        .get(id!)!
                        .map((action) => ACTION_WORDS[action])
                        .join(', '),
                    },
            );
          } catch (error) {
            if ((error as { code?: string }).code !== 'review_refused' || /report this/.test((error as Error).message))
              throw error;
            refused += 1;
            return;
          }
          if (chosen.size > 0) done += 1;
          if (applied.patch !== '') gitApply(applied.patch);
          const after = load().definition as PlainDefinition;
          holdAgainst(
            { ...given, policies: given.policies },
            after,
            lines.map(({ line, row }) => ({
              line,
              narrowTo: chosen.has(row.id) ? (chosen.get(row.id) ?? []) : undefined,
            })),
          );
          for (const change of applied.changes ?? []) expect(change.gained).toEqual({ admin: false, regions: [] });
        }),
        { numRuns: DEFINITIONS },
      );
      expect([done > DEFINITIONS / 8, refused > DEFINITIONS / 20]).toEqual([true, true]);
    },
    60_000 + DEFINITIONS * 1_000,
  );
});

/** Asks every person for everything, before and after. What they should have after is worked out from the lines and by a scan of the rules. */
function holdAgainst(
  before: PlainDefinition,
  after: PlainDefinition,
  lines: readonly { readonly line: ReviewedLine; readonly narrowTo: readonly AtomicAction[] | undefined }[],
): void {
  const resources = interestingResources(before.policies)
    .map((one) => ('bucket' in one ? { ...one, bucket: bucketName(one.bucket) } : one))
    .filter((one) => one.kind !== 'object' || keyFault(one.key, 'keep') === undefined);
  for (const person of people) {
    const [was, is] = [heldNaively(before, person), heldNaively(after, person)];
    const counting = countingOf(before, person).map(principalId);
    const own = lines.filter(({ line }) => line.kind !== 'unrestricted' && counting.includes(principalId(line.holder)));
    expect(is.isAdmin).toBe(own.some(({ line, narrowTo }) => line.kind === 'admin' && narrowTo === undefined));
    for (const resource of resources) {
      for (const action of ATOMIC_ACTIONS.filter((one) => resourceKindOf(one) === resource.kind)) {
        const given = own.some(
          ({ line, narrowTo }) =>
            line.kind === 'rule' &&
            line.effect === 'allow' &&
            narrowTo?.includes(action) !== false &&
            line.regions.some(
              ({ actions, selector, except }) =>
                actions.includes(action) &&
                coversNaively(selector, resource) &&
                isHere(line.place, resource, lines) &&
                !except.some((one) => coversNaively(one, resource)),
            ),
        );
        const wanted = given && decideNaively(was.policies, action, resource) === 'allowed';
        if ((decideNaively(is.policies, action, resource) === 'allowed') !== wanted)
          throw new Error(`${JSON.stringify(person)} ${action} on ${JSON.stringify(resource)}: wanted ${wanted}`);
      }
    }
  }
}

function countingOf({ localUsers }: PlainDefinition, person: readonly Principal[]): readonly Principal[] {
  const local = person.find(
    (holder) => 'subject' in holder && localUsers.some(({ subject }) => subject === holder.subject),
  );
  return local === undefined ? person : [local];
}

/** The line of all other buckets is not about those that have lines of their own. */
function isHere(
  { bucket }: { readonly bucket: string | undefined },
  resource: { readonly provider: string; readonly bucket?: string },
  lines: readonly { readonly line: ReviewedLine }[],
): boolean {
  if (bucket !== undefined || resource.bucket === undefined) return true;
  return !lines.some(
    ({ line }) =>
      line.kind === 'rule' && line.place.provider === resource.provider && line.place.bucket === resource.bucket,
  );
}
