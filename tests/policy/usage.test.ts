import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, resourceKindOf, type AtomicAction } from '../../src/policy/model/action.ts';
import type { Binding } from '../../src/policy/model/binding.ts';
import { decideRequest } from '../../src/policy/index/decide-request.ts';
import { diffPolicies } from '../../src/policy/answers/diff.ts';
import type { Identity } from '../../src/policy/model/identity.ts';
import { isUseRecorded, applyNarrowings, narrowingOf, type Narrowing } from '../../src/policy/answers/narrowing.ts';
import { PolicySet, type PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import {
  objectResource,
  type ObjectResource,
  type Resource,
  type WrittenSelector,
} from '../../src/policy/model/resource.ts';
import { Usage, type Use } from '../../src/policy/answers/usage.ts';
import { interestingResources } from './arbitraries.ts';
import { bucketName, definition, type PlainDefinition } from './definitions.ts';

const ISSUER = 'https://login.example.com';

/** Some prefixes become folders of people or groups. */
const withEach: fc.Arbitrary<PolicySetDefinition> = fc
  .tuple(definition, fc.infiniteStream(fc.constantFrom(undefined, undefined, 'subject' as const, 'group' as const)))
  .map(([one, stream]) => ({
    ...one,
    // What is given to people by name alone is rare otherwise.
    bindings:
      stream.next().value === 'group'
        ? one.bindings.map(
            ({ groups, ...given }: { groups?: unknown } & Binding) =>
              (groups === undefined ? given : { ...given, subjects: [{ issuer: ISSUER, subject: 's2' }] }) as Binding,
          )
        : one.bindings,
    enabled: true,
    issuer: ISSUER,
    policies: one.policies.map((policy) => ({
      ...policy,
      rules: policy.rules.map((rule) => ({
        ...rule,
        resources: rule.resources.map((selector): WrittenSelector => {
          if (selector.type !== 'prefix') return selector;
          const each = stream.next().value as 'subject' | 'group' | undefined;
          return each === undefined
            ? selector
            : { ...selector, prefix: selector.prefix.slice(0, selector.prefix.lastIndexOf('/') + 1), each };
        }),
      })),
    })),
  }));

const identity: fc.Arbitrary<Identity> = fc.record({
  issuer: fc.constantFrom(ISSUER, ISSUER, 'https://elsewhere.example'),
  subject: fc.constantFrom('s1', 's2', 's3'),
  groups: fc.subarray(['g1', 'g2', 'g3']),
});

/** Where answers can differ, folders of people and groups among them. */
function resourcesFor(one: PolicySetDefinition): Resource[] {
  const plain = interestingResources(one.policies as PlainDefinition['policies']).map((resource) =>
    'bucket' in resource ? { ...resource, bucket: bucketName(resource.bucket) } : resource,
  );
  const folders = one.policies
    .flatMap(({ rules }) => rules.flatMap(({ resources }) => resources))
    .flatMap((selector) =>
      selector.type === 'prefix' && selector.each !== undefined
        ? ['s1', 's2', 'g1', 'g2'].flatMap((claim) =>
            ['x', 'y/z', ''].map((rest) =>
              objectResource(selector.provider, selector.bucket, `${selector.prefix}${claim}/${rest}`),
            ),
          )
        : [],
    );
  return [...plain, ...folders];
}

type Asked = { readonly who: Identity; readonly action: AtomicAction; readonly resource: Resource };

const isAllowed = (policies: PolicySet, { who, action, resource }: Asked): boolean =>
  decideRequest(policies.grantsFor(who).grants, action, resource).allowed;

function narrowingsOf(
  one: PolicySetDefinition,
  uses: readonly Use[],
  readsKnown: boolean,
  active: readonly Use['person'][] = [],
): Narrowing[] {
  const usage = new Usage(one);
  for (const { person } of [
    ...uses.filter(({ time }) => time !== undefined),
    ...active.map((one) => ({ person: one })),
  ])
    usage.saw(person);
  for (const use of uses) usage.take(use);
  return usage.rules().flatMap((rule) => narrowingOf(rule, readsKnown) ?? []);
}

/** `SVC_TEST_USES=10000` takes a minute. */
const RUNS = Number(process.env['SVC_TEST_USES'] ?? 300);

/** Which of the allowed requests were used; none quite often, because only then can somebody have done nothing at all. */
const pick = fc.record({ at: fc.nat(), isNamed: fc.boolean(), isFolder: fc.constantFrom(false, false, false, true) });
const picked = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.array(pick, { maxLength: 12 }) },
);

describe('narrower rules, made from how rules were used', () => {
  it('take away nothing that was used, nothing that cannot be judged, and give nothing', () => {
    const seen = { removed: 0, idle: 0, split: 0, narrower: 0, kept: 0, beneath: 0 };
    const property = fc.property(
      withEach,
      fc.array(identity, { minLength: 1, maxLength: 3 }),
      picked,
      fc.boolean(),
      (one, people, picks, readsKnown) => {
        const policies = new PolicySet(one);
        const resources = resourcesFor(one);
        const all = people.flatMap((who) =>
          resources.flatMap((resource) =>
            ATOMIC_ACTIONS.filter((action) => resourceKindOf(action) === resource.kind).map((action): Asked => ({
              who,
              action,
              resource,
            })),
          ),
        );
        const allowed = all.filter((asked) => isAllowed(policies, asked));
        if (allowed.length === 0) return;
        const needed: Asked[] = [];
        const uses = picks.map(({ at, isNamed, isFolder }): Use => {
          const asked = allowed[at % allowed.length]!;
          const { who, action, resource } = asked;
          const use = { person: who, time: 1, counts: true };
          if (isFolder && resource.kind === 'object') {
            // An archive of a folder: all in it that may be read.
            const place = {
              provider: resource.provider,
              bucket: resource.bucket,
              prefix: resource.key.slice(0, resource.key.length >> 1),
            };
            const isIn = ({ resource: other }: Asked): boolean =>
              other.kind === 'object' &&
              other.provider === place.provider &&
              other.bucket === place.bucket &&
              other.key.startsWith(place.prefix);
            needed.push(
              ...allowed.filter((other) => other.who === who && other.action === 'objects:get' && isIn(other)),
            );
            seen.beneath++;
            return { ...use, action: 'objects:get', on: place, rule: undefined };
          }
          needed.push(asked);
          return {
            ...use,
            action,
            on: resource,
            rule: isNamed ? decideRequest(policies.grantsFor(who).grants, action, resource).rule : undefined,
          };
        });
        // Some of them do nothing that names a place, and the others nothing at all.
        const active = people.filter((_, i) => i % 2 === 0);
        const narrowings = narrowingsOf(one, uses, readsKnown, active);
        const isSeen = ({ issuer, subject }: Identity): boolean =>
          [...active, ...uses.map(({ person }) => person)].some(
            (other) => other.subject === subject && other.issuer === issuer,
          );
        const after = applyNarrowings(one, narrowings);
        const policiesAfter = new PolicySet(after);
        for (const asked of needed)
          if (!isAllowed(policiesAfter, asked)) throw new Error(`taken away: ${JSON.stringify(asked)}`);
        for (const asked of allowed)
          if (
            !isUseRecorded(asked.action, readsKnown) &&
            (isSeen(asked.who) || !readsKnown) &&
            !isAllowed(policiesAfter, asked)
          )
            throw new Error(`not judged, and taken away: ${JSON.stringify(asked)}`);
        for (const asked of all)
          if (isAllowed(policiesAfter, asked) && !isAllowed(policies, asked))
            throw new Error(`given: ${JSON.stringify(asked)}`);
        for (const { becomes } of narrowings) {
          seen.removed += Number(becomes.length === 0);
          seen.split += Number(becomes.length === 2);
          seen.narrower += Number(becomes.length === 1);
        }
        seen.kept += needed.length;
        seen.idle += Number(
          allowed.some(
            (asked) =>
              !isSeen(asked.who) && !isUseRecorded(asked.action, readsKnown) && !isAllowed(policiesAfter, asked),
          ),
        );
      },
    );
    // People who did nothing at all are rare.
    for (let round = 0; round < 20 && seen.idle === 0; round += 1) fc.assert(property, { numRuns: RUNS });
    const { idle, ...often } = seen;
    expect(idle).toBeGreaterThan(0);
    for (const count of Object.values(often)) expect(count).toBeGreaterThan(10);
  });
});

const rule = (actions: readonly AtomicAction[], ...resources: readonly WrittenSelector[]) => ({
  effect: 'allow' as const,
  actions,
  resources,
});
const prefix = (text: string, each?: 'subject'): WrittenSelector => ({
  type: 'prefix',
  provider: 'main',
  bucket: 'photos',
  prefix: text,
  ...(each !== undefined && { each }),
});
const photo = (key: string): ObjectResource => objectResource('main', 'photos', key);
const ADA = { issuer: ISSUER, subject: 'ada' };

function one(...rules: readonly ReturnType<typeof rule>[]): PolicySetDefinition {
  return {
    policies: [{ name: 'p', source: 'config', rules }],
    roles: [],
    bindings: [{ groups: ['staff'], policies: ['p'] }],
    localUsers: [],
    enabled: true,
    issuer: ISSUER,
  };
}

const use = (action: AtomicAction, key: string, more: Partial<Use> = {}): Use => ({
  action,
  on: photo(key),
  person: ADA,
  rule: { policy: 'p', rule: 0 },
  time: 5,
  counts: true,
  ...more,
});

describe('Usage', () => {
  it('counts requests, people and times, and keeps the longest prefix that ends with a slash', () => {
    const usage = new Usage(one(rule(['objects:get', 'objects:write'], prefix(''))));
    for (const [time, key] of [
      [9, 'a/b/c.jpg'],
      [3, 'a/b/d/e.jpg'],
      [4, 'a/bc.jpg'],
    ] as const)
      usage.take(use('objects:get', key, { time }));
    usage.take(use('objects:get', 'a/b/x', { person: { ...ADA, subject: 'bob' }, time: 7, counts: false }));
    expect(usage.rules()).toMatchObject([
      { count: 3, first: 3, last: 9, people: 2, morePeople: false, by: [{ from: 'binding', place: 0 }] },
    ]);
    expect(usage.rules()[0]!.places).toEqual(
      new Map([['objects:get', [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: 'a/' }]]]),
    );
  });

  it('tells so many people apart and says that there were more', () => {
    const usage = new Usage(one(rule(['objects:get'], prefix(''))));
    for (let i = 0; i < 150; i++) usage.take(use('objects:get', 'a', { person: { ...ADA, subject: `s${i}` } }));
    expect(usage.rules()).toMatchObject([{ count: 150, people: 100, morePeople: true }]);
  });

  it('counts for every rule that may have allowed it where the rule is not known, and for none that the person cannot hold', () => {
    const definitionOf: PolicySetDefinition = {
      ...one(
        rule(['objects:get'], prefix('')),
        rule(['objects:get'], prefix('a/')),
        rule(['objects:get'], prefix('b/')),
      ),
      policies: ['staff', 'ada', 'bob'].map((name) => ({
        name,
        source: 'config',
        rules: [rule(['objects:get'], prefix(''))],
      })),
      bindings: [
        { groups: ['staff'], policies: ['staff'] },
        { subjects: [ADA], policies: ['ada'] },
        { subjects: [{ ...ADA, subject: 'bob' }], policies: ['bob'] },
      ],
    };
    const usage = new Usage(definitionOf);
    usage.take(use('objects:get', 'a/x', { rule: undefined }));
    expect(usage.rules().map(({ count }) => count)).toEqual([1, 1, 0]);
  });
});

describe('a key that some storage takes for another one', () => {
  const definition = one(
    rule(['objects:list', 'objects:get'], prefix('/2025/')),
    rule(['objects:list', 'objects:get'], prefix('2025/')),
  );

  it('uses the rule for each of its names, because a request needs both, and is counted once', () => {
    const uses = [use('objects:list', '/2025/a/x'), use('objects:get', '/2025/a/x')];
    const usage = new Usage(definition);
    for (const each of uses) usage.take(each);
    expect(usage.rules().map(({ count, places }) => [count, [...places.keys()]])).toEqual([
      [2, ['objects:list', 'objects:get']],
      [0, ['objects:get']],
    ]);
    const after = new PolicySet(applyNarrowings(definition, narrowingsOf(definition, uses, true, [ADA])));
    const who = { ...ADA, groups: ['staff'] };
    expect(isAllowed(after, { who, action: 'objects:get', resource: photo('/2025/a/x') })).toBe(true);
  });

  it('does so in a folder too', () => {
    const folder = { provider: 'main', bucket: 'photos', prefix: '/2025/a/' };
    const after = new PolicySet(
      applyNarrowings(
        definition,
        narrowingsOf(definition, [{ ...use('objects:get', ''), on: folder, rule: undefined }], true, [ADA]),
      ),
    );
    const who = { ...ADA, groups: ['staff'] };
    expect(isAllowed(after, { who, action: 'objects:get', resource: photo('/2025/a/x') })).toBe(true);
  });
});

describe('narrowingOf', () => {
  const judge = (definitionOf: PolicySetDefinition, uses: readonly Use[], readsKnown = true) =>
    applyNarrowings(definitionOf, narrowingsOf(definitionOf, uses, readsKnown)).policies[0]!.rules;

  it('removes a rule that was not used, and actions that were not', () => {
    expect(judge(one(rule(['objects:get', 'objects:write'], prefix('a/'))), [])).toEqual([]);
    expect(judge(one(rule(['objects:get', 'objects:write'], prefix('a/'))), [use('objects:write', 'a/x')])).toEqual([
      rule(['objects:write'], prefix('a/')),
    ]);
  });

  it('holds the use of all actions together', () => {
    const wide = one(rule(['objects:get', 'objects:write'], prefix('')));
    expect(judge(wide, [use('objects:get', 'a/b/x'), use('objects:write', 'a/c/x')])).toEqual([
      rule(['objects:get', 'objects:write'], prefix('a/')),
    ]);
    expect(ATOMIC_ACTIONS.map((action) => [isUseRecorded(action, true), isUseRecorded(action, false)])).toEqual(
      ATOMIC_ACTIONS.map((action) => [
        !action.endsWith(':list'),
        !action.endsWith(':list') && !['objects:get', 'objects:versions'].includes(action),
      ]),
    );
  });

  it('leaves other policies alone', () => {
    const two = {
      ...one(rule(['objects:write'], prefix(''))),
      policies: ['p', 'q'].map((name) => ({
        name,
        source: 'config' as const,
        rules: [rule(['objects:write'], prefix(''))],
      })),
    };
    const after = applyNarrowings(two, narrowingsOf(two, [], true));
    expect(after.policies.map(({ rules }) => rules.length)).toEqual([0, 1]);
  });

  it('keeps listing where it is, in a rule of its own', () => {
    const wide = rule(['objects:list', 'objects:get', 'objects:delete'], {
      type: 'bucket',
      provider: 'main',
      bucket: 'photos',
    });
    expect(judge(one(wide), [use('objects:get', 'a/b/x'), use('objects:get', 'a/c/y')])).toEqual([
      rule(['objects:list'], ...wide.resources),
      rule(['objects:get'], prefix('a/')),
    ]);
    expect(judge(one(wide), [])).toEqual([rule(['objects:list'], ...wide.resources)]);
  });

  it('removes what is given to people by name who did nothing, and judges listing by that alone', () => {
    const named = {
      ...one(rule(['objects:list', 'objects:get'], prefix('a/'))),
      bindings: [{ subjects: [ADA], policies: ['p'] }],
    };
    const rulesAfter = (...[uses, readsKnown, active]: [readonly Use[], boolean, readonly Use['person'][]]) =>
      applyNarrowings(named, narrowingsOf(named, uses, readsKnown, active)).policies[0]!.rules;
    expect(rulesAfter([], true, [])).toEqual([]);
    expect(rulesAfter([], true, [{ ...ADA, issuer: 'https://other.example' }])).toEqual([]);
    expect(rulesAfter([], true, [ADA])).toEqual([rule(['objects:list'], prefix('a/'))]);
    expect(rulesAfter([], false, [])).toEqual(named.policies[0]!.rules);
    expect(rulesAfter([use('objects:get', 'a/x', { time: undefined, counts: false })], true, [])).toEqual(
      named.policies[0]!.rules,
    );
  });

  it('says nothing of reading where it is not known what was read', () => {
    expect(judge(one(rule(['objects:get'], prefix('a/'))), [], false)).toEqual([rule(['objects:get'], prefix('a/'))]);
  });

  it('leaves folders that follow people, objects, and what is in use everywhere', () => {
    const home = one(
      rule(
        ['objects:get'],
        prefix('users/', 'subject'),
        { type: 'object', provider: 'main', bucket: 'photos', key: 'a/x' },
        prefix('b'),
      ),
    );
    expect(
      judge(home, [use('objects:get', 'users/ada/y/z'), use('objects:get', 'a/x'), use('objects:get', 'bc')]),
    ).toEqual(home.policies[0]!.rules);
  });

  it('leaves denies, and policies that nobody is given', () => {
    const denied = one({ ...rule(['objects:get'], prefix('a/')), effect: 'deny' as never });
    expect(judge(denied, [])).toEqual(denied.policies[0]!.rules);
    const unheld = { ...one(rule(['objects:get'], prefix('a/'))), bindings: [] };
    expect(judge(unheld, [])).toEqual(unheld.policies[0]!.rules);
  });

  it('gives nobody anything that the diff would tell', () => {
    const wide = one(rule(['objects:list', 'objects:get'], { type: 'all' }), {
      ...rule(['objects:get'], prefix('a/secret/')),
      effect: 'deny' as never,
    });
    const after = applyNarrowings(wide, narrowingsOf(wide, [use('objects:get', 'a/x')], true));
    expect(
      diffPolicies(wide, after).map(({ gained, lost }) => [
        gained.regions.length,
        lost.regions.map(({ actions }) => actions),
      ]),
    ).toEqual([[0, [['objects:get']]]]);
  });
});
