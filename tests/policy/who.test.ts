import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, resourceKindOf } from '../../src/policy/model/action.ts';
import { explainUnnamed } from '../../src/policy/answers/explain.ts';
import { principalId, type Principal } from '../../src/policy/index/principal.ts';
import { PolicySet, type PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import { whoMay, type WhoMay } from '../../src/policy/answers/who.ts';
import { interestingResources } from './arbitraries.ts';
import { bucketName, definition, heldNaively, people } from './definitions.ts';
import { decideNaively } from './oracle.ts';

/** The whole of it takes minutes: `SVC_TEST_PAIRS=10000`. */
const DEFINITIONS = Number(process.env['SVC_TEST_PAIRS'] ?? 10);

/** What the answer says of a person. */
function says(
  { everybody, holders }: WhoMay,
  person: readonly Principal[],
  { localUsers }: PolicySetDefinition,
): boolean {
  const local = person.find(
    (holder) => 'subject' in holder && localUsers.some(({ subject }) => subject === holder.subject),
  );
  const counting = (local === undefined ? person : [local]).map(principalId);
  const outcomes = holders.filter(({ holder }) => counting.includes(principalId(holder))).map(({ outcome }) => outcome);
  return everybody || (outcomes.includes('allowed') && !outcomes.includes('denied'));
}

describe('whoMay', () => {
  it(
    'says of every person what a scan of the rules that they hold says',
    () => {
      fc.assert(
        fc.property(definition, (given) => {
          const held = people.map((person) => ({ person, policies: heldNaively(given, person).policies }));
          for (const resource of interestingResources(given.policies).map((one) =>
            'bucket' in one ? { ...one, bucket: bucketName(one.bucket) } : one,
          )) {
            for (const action of ATOMIC_ACTIONS.filter((one) => resourceKindOf(one) === resource.kind)) {
              const [answer] = whoMay(given, [{ action, place: resource }]) as [WhoMay];
              for (const { person, policies } of held) {
                if (says(answer, person, given) !== (decideNaively(policies, action, resource) === 'allowed'))
                  throw new Error(
                    `${JSON.stringify(person)} ${action} on ${JSON.stringify(resource)}: told ${JSON.stringify(answer)}`,
                  );
              }
            }
          }
        }),
        { numRuns: DEFINITIONS },
      );
    },
    30_000 + DEFINITIONS * 1_000,
  );

  it('says of a place what is decided on a key there that no rule names more closely', () => {
    const place = { provider: 'p', bucket: 'bucket', prefix: 'a' };
    fc.assert(
      fc.property(definition, (given) => {
        const set = new PolicySet(given);
        const [answer] = whoMay(given, [{ action: 'objects:get', place }]) as [WhoMay];
        for (const person of people) {
          const [own] = person.filter((holder) => 'subject' in holder);
          const { grants } = set.grantsFor({
            issuer: own?.issuer ?? '',
            subject: own?.subject ?? '',
            groups: person.flatMap((holder) => ('group' in holder ? [holder.group] : [])),
          });
          expect(says(answer, person, given)).toBe(explainUnnamed(grants, 'objects:get', place).decision.allowed);
        }
      }),
      { numRuns: DEFINITIONS },
    );
  });

  it('tells the same in parts of any size, the same holders in each answer', () => {
    const questions = [
      { action: 'objects:get' as const, place: { provider: 'p', bucket: 'bucket', prefix: '' } },
      { action: 'buckets:list' as const, place: { kind: 'bucket' as const, provider: 'p', bucket: 'bucket' } },
    ];
    fc.assert(
      fc.property(definition, fc.integer({ min: 1, max: 3 }), (given, limit) => {
        const whole = whoMay(given, questions);
        const parts: WhoMay[][] = [];
        for (let from: number | undefined = 0; from !== undefined; from = parts.at(-1)![0]!.next)
          parts.push(whoMay(given, questions, { from, limit }));
        for (const i of [0, 1]) expect(parts.flatMap((part) => part[i]!.holders)).toEqual(whole[i]!.holders);
        expect(Math.max(...parts.flat().map(({ holders }) => holders.length))).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 200 },
    );
  });

  it('names each way by which somebody holds the policy, once', () => {
    const given: PolicySetDefinition = {
      policies: [
        {
          name: 'p',
          source: 'config',
          rules: [{ effect: 'allow', actions: ['providers:list'], resources: [{ type: 'all' }] }],
        },
      ],
      roles: [{ name: 'r', policies: ['p'] }],
      bindings: [
        { groups: ['g', 'g'], role: 'r' },
        { groups: ['other', 'g'], policies: ['p'] },
      ],
      localUsers: [],
      enabled: true,
    };
    const [first] = whoMay(given, [{ action: 'providers:list', place: { kind: 'provider', provider: 'main' } }])[0]!
      .holders;
    expect(first).toEqual({
      holder: { group: 'g' },
      isLocal: false,
      outcome: 'allowed',
      rules: [
        {
          rule: { policy: 'p', rule: 0 },
          effect: 'allow',
          selector: { type: 'all' },
          by: [
            { from: 'binding', place: 0, role: 'r', policy: 'p' },
            { from: 'binding', place: 1, role: undefined, policy: 'p' },
          ],
        },
      ],
    });
  });
});
