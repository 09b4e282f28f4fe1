import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, resourceKindOf, type AtomicAction } from '../../src/policy/model/action.ts';
import { allowedBeneath } from '../../src/policy/listing/beneath.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { NO_FOLDER, SOMEBODY, SOME_GROUP } from '../../src/policy/answers/claims-to-tell.ts';
import { diffPolicies } from '../../src/policy/answers/diff.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import { deniesToGroups } from '../../src/policy/index/group-deny.ts';
import { principalId, type Principal } from '../../src/policy/index/principal.ts';
import type { Identity } from '../../src/policy/model/identity.ts';
import { keyFilter } from '../../src/policy/listing/key-filter.ts';
import { PolicySet, type PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import { nextAllowed } from '../../src/policy/listing/ranges.ts';
import { objectResource, type Resource, type Selector, type WrittenSelector } from '../../src/policy/model/resource.ts';
import type { Effect, WrittenPolicy, WrittenRule } from '../../src/policy/model/rule.ts';
import { whoMay, type Subset } from '../../src/policy/answers/who.ts';
import * as arbitrary from './arbitraries.ts';
import { coversNaively } from './oracle.ts';

/** The whole of it takes minutes: `SVC_TEST_PAIRS=10000`. */
const RUNS = Number(process.env['SVC_TEST_PAIRS'] ?? 25);

const ISSUER = 'https://login.example.com';
const place = { provider: 'p', bucket: 'bucket' };
const SAFE = ['a', 'b', 'A', 'z'];
const ODD = ['', '.', '..', 'a/b', '/', 'a\0', 'a\x7f', 'a\x85', '\ud83d', 'k'.repeat(2000)];

/** The rule of the documentation, read aloud: shares no code with what it checks. */
function isFolderName(claim: string): boolean {
  return (
    claim !== '' &&
    claim !== '.' &&
    claim !== '..' &&
    !claim.includes('/') &&
    claim.isWellFormed() &&
    !Array.from(claim).some((char) => char < ' ' || (char >= '\x7f' && char <= '\x9f'))
  );
}

function covers(
  selector: WrittenSelector,
  effect: Effect,
  { issuer, subject, groups }: Identity,
  resource: Resource,
): boolean {
  if (selector.type !== 'prefix' || selector.each === undefined) return coversNaively(selector, resource);
  const { each, ...plain } = selector;
  return (each === 'subject' ? [issuer === ISSUER ? subject : '/'] : groups).some((claim) =>
    isFolderName(claim)
      ? coversNaively({ ...plain, prefix: `${plain.prefix}${claim}/` }, resource)
      : effect === 'deny' && coversNaively(plain, resource),
  );
}

function mayNaively(
  { policies, bindings }: PolicySetDefinition,
  person: Identity,
  action: AtomicAction,
  resource: Resource,
): boolean {
  const bound = bindings.filter((one) =>
    'groups' in one
      ? one.groups.some((group) => person.groups.includes(group))
      : one.subjects.some(({ issuer, subject }) => issuer === person.issuer && subject === person.subject),
  );
  const names = new Set(bound.flatMap((one) => ('policies' in one ? one.policies : [])));
  const saying = policies
    .filter(({ name }) => names.has(name))
    .flatMap(({ rules }) => rules)
    .filter(
      ({ actions, resources, effect }) =>
        actions.includes(action) && resources.some((selector) => covers(selector, effect, person, resource)),
    );
  return (
    resourceKindOf(action) === resource.kind && saying.length > 0 && saying.every(({ effect }) => effect === 'allow')
  );
}

const key = fc.array(fc.constantFrom('a', 'b', 'A', '/'), { maxLength: 4 }).map((parts) => parts.join(''));
const folder = fc.constantFrom('', 'a/', 'a/b/');
const selector: fc.Arbitrary<WrittenSelector> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('prefix' as const),
      provider: fc.constant('p'),
      bucket: fc.constant('bucket'),
      prefix: folder,
      each: fc.constantFrom('subject', 'group'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('prefix' as const),
      provider: fc.constant('p'),
      bucket: fc.constant('bucket'),
      prefix: key,
    }),
  },
  {
    weight: 1,
    arbitrary: key.filter((text) => text !== '').map((text) => ({ type: 'object', ...place, key: text }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'bucket', ...place } as const) },
);
const rule: fc.Arbitrary<WrittenRule> = fc.record({
  effect: fc.constantFrom('allow', 'allow', 'deny'),
  actions: fc.subarray(['objects:list', 'objects:get'] as const, { minLength: 1 }),
  resources: fc.array(selector, { minLength: 1, maxLength: 2 }),
});
const policies: fc.Arbitrary<WrittenPolicy[]> = fc
  .tuple(fc.array(rule, { maxLength: 3 }), fc.array(rule, { maxLength: 3 }))
  .map((lists) => lists.map((rules, i) => ({ name: ['one', 'two'][i]!, source: 'config', rules })));
const members = fc.oneof(
  fc.record({ groups: fc.subarray(['a', 'g'], { minLength: 1 }) }),
  fc.constant({ subjects: [{ issuer: ISSUER, subject: 'a' }] }),
);
const binding = fc
  .tuple(members, fc.subarray(['one', 'two'], { minLength: 1 }))
  .map(([who, held]) => ({ ...who, policies: held }));
const definition: fc.Arbitrary<PolicySetDefinition> = fc.record({
  policies,
  roles: fc.constant([]),
  bindings: fc.array(binding, { maxLength: 3 }),
  localUsers: fc.constant([]),
  enabled: fc.constant(true),
  issuer: fc.constant(ISSUER),
});

const person = (subject: string, groups: readonly string[], issuer = ISSUER): Identity => ({ issuer, subject, groups });
const SETS = [[], ['a'], ['g'], ['a', 'g'], ['g', 'z'], ['g', 'x/y']];
const PEOPLE = [...SAFE, ...ODD]
  .flatMap((subject) => SETS.map((groups) => person(subject, groups)))
  .concat(person('a', ['g'], 'https://other.example.com'));

const KEYS = [
  ...new Set(
    ['', 'a/', 'a/b/'].flatMap((prefix) =>
      [...SAFE, 'g', 'aa', '..'].flatMap((claim) => [
        `${prefix}${claim}/x`,
        `${prefix}${claim}/`,
        `${prefix}${claim}`,
        `${prefix}${claim}/b/x`,
      ]),
    ),
  ),
];
const REQUESTS = KEYS.flatMap((each) =>
  (['objects:list', 'objects:get'] as const).map((action) => ({
    action,
    resource: objectResource('p', 'bucket', each),
  })),
);

describe('selectors with `each`', () => {
  it(
    'decide what a scan of the rules decides, whatever the claims',
    () => {
      fc.assert(
        fc.property(definition, (given) => {
          const set = new PolicySet(given);
          for (const one of PEOPLE) {
            const { grants } = set.grantsFor(one);
            for (const { action, resource } of REQUESTS) {
              if (decide(grants, action, resource).allowed !== mayNaively(given, one, action, resource))
                throw new Error(`${JSON.stringify(one)} ${action} ${JSON.stringify(resource)}`);
            }
          }
        }),
        { numRuns: RUNS },
      );
    },
    60_000 + RUNS * 500,
  );

  it(
    'give listings, ranges and questions about places what the resolved rules alone give',
    () => {
      fc.assert(
        fc.property(definition, arbitrary.key, arbitrary.key, (given, prefix, after) => {
          const set = new PolicySet(given);
          for (const one of PEOPLE) {
            const { grants, policies: held } = set.grantsFor(one);
            const alone = compileGrants(held);
            for (const text of [prefix, 'a/', 'a/b/', '']) {
              for (const action of ATOMIC_ACTIONS)
                expect(nextAllowed(grants, action, { ...place, prefix: text }, after)).toEqual(
                  nextAllowed(alone, action, { ...place, prefix: text }, after),
                );
              expect(allowedBeneath(grants, { ...place, prefix: text })).toBe(
                allowedBeneath(alone, { ...place, prefix: text }),
              );
            }
            expect([allowedBeneath(grants, { provider: 'p' }), allowedBeneath(grants, place)]).toEqual([
              allowedBeneath(alone, { provider: 'p' }),
              allowedBeneath(alone, place),
            ]);
            const [filter, expected] = [
              keyFilter(grants, 'objects:list', place),
              keyFilter(alone, 'objects:list', place),
            ];
            for (const each of KEYS) expect(filter(each)).toBe(expected(each));
          }
        }),
        { numRuns: Math.ceil(RUNS / 5) },
      );
    },
    60_000 + RUNS * 2_000,
  );

  it(
    'who: says of every person what is decided for them',
    () => {
      const isMeant = (only: Subset | undefined, one: Identity) => {
        if (only === undefined) return true;
        if ('unsafe' in only)
          return only.unsafe === 'subject'
            ? one.issuer !== ISSUER || !isFolderName(one.subject)
            : one.groups.some((group) => !isFolderName(group));
        return 'subject' in only
          ? one.issuer === ISSUER && one.subject === only.subject
          : one.groups.includes(only.group);
      };
      fc.assert(
        fc.property(definition, (given) => {
          for (const { action, resource } of REQUESTS) {
            const [answer] = whoMay(given, [{ action, place: resource }]);
            for (const one of PEOPLE) {
              const theirs = answer!.holders
                .filter(
                  ({ holder, only }) =>
                    ('group' in holder
                      ? one.groups.includes(holder.group)
                      : holder.issuer === one.issuer && holder.subject === one.subject) && isMeant(only, one),
                )
                .map(({ outcome }) => outcome);
              const may = theirs.includes('allowed') && !theirs.includes('denied');
              if (may !== mayNaively(given, one, action, resource))
                throw new Error(
                  `${JSON.stringify(one)} ${action} ${JSON.stringify(resource)}: ${JSON.stringify(answer)}`,
                );
            }
          }
        }),
        { numRuns: RUNS },
      );
    },
    60_000 + RUNS * 500,
  );

  it(
    'diff: names what anybody gains or loses, and examples of it',
    () => {
      // Whose subject is the name of one of their groups is not told apart: their two folders may be one.
      const people = ['a', 'b', 'z', '..'].flatMap((subject) =>
        SETS.filter((groups) => !groups.includes(subject)).map((groups) => person(subject, groups)),
      );
      const forPerson = (text: string, one: Identity) => [
        ...new Set(
          ['', ...one.groups].map((group) => text.replaceAll(SOMEBODY, one.subject).replaceAll(SOME_GROUP, group)),
        ),
      ];
      const at = (selector: Selector, one: Identity): Selector[] =>
        'prefix' in selector
          ? forPerson(selector.prefix, one).map((prefix) => ({ ...selector, prefix }))
          : 'key' in selector
            ? forPerson(selector.key, one).map((text) => ({ ...selector, key: text }))
            : [selector];
      let changed = 0;
      const property = fc.property(definition, definition, fc.boolean(), (before, other, isEdit) => {
        const after = isEdit ? { ...before, policies: other.policies } : other;
        const changes = diffPolicies(before, after);
        const holds = (one: Identity, holder: Principal) => {
          const [own, meant] = 'group' in holder ? [one.groups, holder.group] : [[one.subject], holder.subject];
          return own.includes(meant) || (meant === NO_FOLDER && !own.every(isFolderName));
        };
        for (const one of people) {
          const theirs = changes.filter(({ who }) => who.every((list) => list.some((holder) => holds(one, holder))));
          for (const { action, resource } of REQUESTS) {
            const [was, is] = [mayNaively(before, one, action, resource), mayNaively(after, one, action, resource)];
            if (was === is) continue;
            changed++;
            const isTold = theirs.some((change) =>
              change[is ? 'gained' : 'lost'].regions.some(
                ({ actions, selector: within }) =>
                  actions.includes(action) && at(within, one).some((each) => coversNaively(each, resource)),
              ),
            );
            if (!isTold)
              throw new Error(
                `${JSON.stringify(one)} ${is ? 'gains' : 'loses'} ${action} on ${JSON.stringify(resource)}: ${JSON.stringify(theirs)}`,
              );
          }
        }
        for (const { who, gained, lost } of changes) {
          const holders = who.map(([first]) => first!);
          const own = holders.find((holder) => 'subject' in holder);
          const one = person(own?.subject ?? SOMEBODY, [
            ...holders.flatMap((holder) => ('group' in holder ? [holder.group] : [])),
            ...(who.length === 0 ? [] : [SOME_GROUP]),
          ]);
          for (const [{ regions }, sign] of [
            [gained, true],
            [lost, false],
          ] as const) {
            for (const { actions, example } of regions) {
              const [was, is] = [before, after].map((each) => mayNaively(each, one, actions[0]!, example));
              if (was === is || is !== sign)
                throw new Error(
                  `${JSON.stringify(holders.map(principalId))}: ${JSON.stringify(example)} is no example`,
                );
            }
          }
        }
      });
      while (changed === 0) fc.assert(property, { numRuns: RUNS });
    },
    60_000 + RUNS * 500,
  );

  it('diff: names what a local user gains who is one no longer, though another of their groups gains it alone', () => {
    const reading = (prefix: string, each?: 'subject'): WrittenRule => ({
      effect: 'allow',
      actions: ['objects:get'],
      resources: [{ type: 'prefix', ...place, prefix, ...(each !== undefined && { each }) }],
    });
    const given = (first: readonly string[], localUsers: PolicySetDefinition['localUsers']): PolicySetDefinition => ({
      policies: [
        { name: 'home', source: 'config', rules: [reading('users/', 'subject')] },
        { name: 'docs', source: 'config', rules: [reading('docs/')] },
      ],
      roles: [],
      bindings: [
        { groups: ['g'], policies: first },
        { groups: ['h'], policies: ['home', 'docs'] },
      ],
      localUsers,
      enabled: true,
      issuer: ISSUER,
    });
    const changes = diffPolicies(
      given(['home'], [{ issuer: ISSUER, subject: 'ada', roles: [] }]),
      given(['home', 'docs'], []),
    );
    const told = changes
      .filter(({ gained }) =>
        gained.regions.some(({ selector }) => 'prefix' in selector && selector.prefix === 'docs/'),
      )
      .map(({ who }) =>
        who.map((holders) => holders.map((holder) => ('group' in holder ? holder.group : holder.subject))),
      );
    expect(told).toEqual([[['h'], ['ada']], [['g']]]);
  });

  it('diff: tells nothing of two groups where a deny of one closes the folder of the other already', () => {
    const given = (groups: readonly string[]): PolicySetDefinition => ({
      ...home('deny', 'group'),
      bindings: [
        { groups: ['a'], policies: ['home'] },
        { groups, policies: ['home'] },
      ],
    });
    expect(diffPolicies(given(['a']), given(['a', 'g'])).map(({ who }) => who)).toEqual([[[{ group: 'g' }]]]);
  });

  it('diff: names the subject that a path is, and those that begin with it', () => {
    const given = (...more: WrittenRule[]): PolicySetDefinition => ({
      ...home('allow'),
      policies: home('allow').policies.map((policy) => ({ ...policy, rules: [...policy.rules, ...more] })),
    });
    const changes = diffPolicies(
      given({
        effect: 'deny',
        actions: ['objects:get'],
        resources: [{ type: 'prefix', ...place, prefix: 'users/ad' }],
      }),
      given(),
    );
    expect(
      changes.map(({ who, gained }) => [
        who[1],
        gained.regions.map(({ selector }) => 'prefix' in selector && selector.prefix),
      ]),
    ).toEqual(['ad', `ad${SOMEBODY}`].map((subject) => [[{ issuer: ISSUER, subject }], [`users/${subject}/`]]));
  });

  it('diff: tells what people gain and lose whose subject or group cannot be the name of a folder', () => {
    for (const each of ['subject', 'group'] as const) {
      const [open, closed]: PolicySetDefinition[] = [
        [],
        [
          {
            effect: 'deny' as const,
            actions: ['objects:get' as const],
            resources: [{ type: 'prefix' as const, ...place, prefix: 'users/', each }],
          },
        ],
      ].map((denies) => ({
        policies: [
          {
            name: 'x',
            source: 'config',
            rules: [
              {
                effect: 'allow',
                actions: ['objects:get'],
                resources: [{ type: 'object', ...place, key: 'users/readme' }],
              },
              ...denies,
            ],
          },
        ],
        roles: [],
        bindings: [{ groups: ['staff'], policies: ['x'] }],
        localUsers: [],
        enabled: true,
        issuer: ISSUER,
      }));
      const [change, ...more] = diffPolicies(closed!, open!);
      expect([more, change?.who, change?.gained.regions.map(({ selector }) => selector), change?.lost.regions]).toEqual(
        [
          [],
          [[{ group: 'staff' }], [each === 'group' ? { group: NO_FOLDER } : { issuer: ISSUER, subject: NO_FOLDER }]],
          [{ type: 'object', ...place, key: 'users/readme' }],
          [],
        ],
      );
    }
  });

  const home = (effect: Effect, each: 'subject' | 'group' = 'subject'): PolicySetDefinition => ({
    policies: [
      {
        name: 'home',
        source: 'config',
        rules: [
          {
            effect: 'allow',
            actions: ['objects:get'],
            resources:
              effect === 'allow'
                ? [{ type: 'prefix', ...place, prefix: 'users/', each }]
                : [{ type: 'bucket', ...place }],
          },
          ...(effect === 'deny'
            ? [
                {
                  effect,
                  actions: ['objects:get' as const],
                  resources: [{ type: 'prefix' as const, ...place, prefix: 'users/', each }],
                },
              ]
            : []),
        ],
      },
    ],
    roles: [],
    bindings: [{ groups: ['staff'], policies: ['home'] }],
    localUsers: [],
    enabled: true,
    issuer: ISSUER,
  });
  const may = (given: PolicySetDefinition, one: Identity, text: string) =>
    decide(new PolicySet(given).grantsFor(one).grants, 'objects:get', objectResource('p', 'bucket', text)).allowed;

  it('lead nobody out of their folder, whatever their claim', () => {
    const staff = (subject: string) => person(subject, ['staff']);
    for (const claim of ODD)
      for (const text of [
        'users/',
        'users/x',
        'users/ada/x',
        'users//x',
        'users/../x',
        'users/./x',
        `users/${claim}/x`,
        'x',
      ])
        expect([claim, text, may(home('allow'), staff(claim), text)]).toEqual([claim, text, false]);
    for (const [claim, text] of [
      ['ada', 'users/Ada/x'],
      ['ada', 'users/adam/x'],
      ['ada', 'users/ada'],
      ['\u00e9', 'users/e\u0301/x'],
      ['a%2Fb', 'users/a/b/x'],
      ['ada', 'USERS/ada/x'],
    ] as const)
      expect([claim, text, may(home('allow'), staff(claim), text)]).toEqual([claim, text, false]);
    for (const claim of ['ada', 'é', '😀', '...', 'a b', 'a%2Fb', '__proto__', 'a\\b'])
      expect([claim, may(home('allow'), staff(claim), `users/${claim}/x`)]).toEqual([claim, true]);
    expect(may(home('allow'), person('ada', ['staff'], 'https://other.example.com'), 'users/ada/x')).toBe(false);
  });

  it('let a deny cover the whole prefix for whoever has no folder there', () => {
    for (const claim of ODD.slice(0, -1))
      expect([
        claim,
        may(home('deny'), person(claim, ['staff']), 'users/x'),
        may(home('deny'), person(claim, ['staff']), 'other'),
      ]).toEqual([claim, false, true]);
    expect([
      may(home('deny'), person('ada', ['staff']), 'users/ada/x'),
      may(home('deny'), person('ada', ['staff']), 'users/eve/x'),
    ]).toEqual([false, true]);
    expect(may(home('deny'), person('ada', ['staff'], 'https://other.example.com'), 'users/x')).toBe(false);
    expect(may(home('deny', 'group'), person('ada', ['staff', '/path']), 'users/x')).toBe(false);
  });

  it('mix no two people, and keep no more than they may', () => {
    const set = new PolicySet(home('allow'));
    const asks = (subject: string, text: string) =>
      decide(set.grantsFor(person(subject, ['staff'])).grants, 'objects:get', objectResource('p', 'bucket', text))
        .allowed;
    for (let i = 0; i < 30_000; i++)
      if (!asks(`p${i}`, `users/p${i}/x`) || asks(`p${i}`, `users/p${i - 1}/x`)) throw new Error(`p${i}`);
    expect([asks('p0', 'users/p0/x'), asks('p0', 'users/p1/x')]).toEqual([true, false]);
    const [one, other] = [person('x","y', ['staff']), person('x', ['staff', '","y'])];
    expect(set.grantsFor(one).grants).not.toBe(set.grantsFor(other).grants);
    expect(set.grantsFor(person('x', ['staff', 'more'])).grants).toBe(set.grantsFor(person('x', ['staff'])).grants);
  });

  it('have to be resolved before they are compiled', () => {
    expect(() => compileGrants(home('allow').policies as never)).toThrow('resolved');
  });

  it('make all groups of a person needed where a deny is about each of them', () => {
    expect([deniesToGroups(home('deny', 'group')), deniesToGroups(home('allow', 'group'))]).toEqual([true, false]);
    const bySubject = {
      ...home('deny', 'group'),
      bindings: [{ subjects: [{ issuer: ISSUER, subject: 'ada' }], policies: ['home'] }],
    };
    expect(deniesToGroups(bySubject)).toBe(true);
  });

  it('give a local user no folders of groups', () => {
    const given: PolicySetDefinition = {
      ...home('allow', 'group'),
      roles: [{ name: 'r', policies: ['home'] }],
      localUsers: [{ issuer: ISSUER, subject: 'dev', roles: ['r'] }],
    };
    expect(may(given, person('dev', ['staff']), 'users/staff/x')).toBe(false);
  });
});
