import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, resourceKindOf } from '../../src/policy/action.ts';
import { explainUnnamed } from '../../src/policy/explain.ts';
import { holderId, type Holder } from '../../src/policy/holder.ts';
import { PolicySet, type PolicySetDefinition } from '../../src/policy/policy-set.ts';
import { whoMay, type WhoMay } from '../../src/policy/who.ts';
import { interestingResources } from './arbitraries.ts';
import { bucketName, definition, heldNaively, people } from './definitions.ts';
import { decideNaively } from './oracle.ts';

/** The whole of it takes minutes: `SVC_TEST_PAIRS=10000`. */
const DEFINITIONS = Number(process.env['SVC_TEST_PAIRS'] ?? 10);

/** What the answer says of a person. */
function says({ everybody, holders }: WhoMay, person: readonly Holder[], { localUsers }: PolicySetDefinition): boolean {
  const local = person.find((holder) => 'subject' in holder && localUsers.some(({ subject }) => subject === holder.subject));
  const counting = (local === undefined ? person : [local]).map(holderId);
  const outcomes = holders.filter(({ holder }) => counting.includes(holderId(holder))).map(({ outcome }) => outcome);
  return everybody || (outcomes.includes('allowed') && !outcomes.includes('denied'));
}

describe('whoMay', () => {
  it(
    'says of every person what a scan of the rules that they hold says',
    () => {
      fc.assert(
        fc.property(definition, (given) => {
          const held = people.map((person) => ({ person, policies: heldNaively(given, person).policies }));
          for (const resource of interestingResources(given.policies).map((one) => ('bucket' in one ? { ...one, bucket: bucketName(one.bucket) } : one))) {
            for (const action of ATOMIC_ACTIONS.filter((one) => resourceKindOf(one) === resource.kind)) {
              const answer = whoMay(given, action, resource);
              for (const { person, policies } of held) {
                if (says(answer, person, given) !== (decideNaively(policies, action, resource) === 'allowed')) throw new Error(`${JSON.stringify(person)} ${action} on ${JSON.stringify(resource)}: told ${JSON.stringify(answer)}`);
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
        const answer = whoMay(given, 'objects:get', place);
        for (const person of people) {
          const [own] = person.filter((holder) => 'subject' in holder);
          const { grants } = set.grantsFor({ issuer: own?.issuer ?? '', subject: own?.subject ?? '', groups: person.flatMap((holder) => ('group' in holder ? [holder.group] : [])) });
          expect(says(answer, person, given)).toBe(explainUnnamed(grants, 'objects:get', place).decision.allowed);
        }
      }),
      { numRuns: DEFINITIONS },
    );
  });

  it('names each way by which somebody holds the policy, once', () => {
    const given: PolicySetDefinition = {
      policies: [{ name: 'p', source: 'config', rules: [{ effect: 'allow', actions: ['providers:list'], resources: [{ type: 'all' }] }] }],
      roles: [{ name: 'r', policies: ['p'] }],
      bindings: [{ groups: ['g', 'g'], role: 'r' }, { groups: ['other', 'g'], policies: ['p'] }],
      localUsers: [],
      enabled: true,
    };
    const [first] = whoMay(given, 'providers:list', { kind: 'provider', provider: 'main' }).holders;
    expect(first).toEqual({
      holder: { group: 'g' },
      isLocal: false,
      outcome: 'allowed',
      rules: [{ rule: { policy: 'p', rule: 0 }, effect: 'allow', selector: { type: 'all' }, by: [{ from: 'binding', place: 0, role: 'r', policy: 'p' }, { from: 'binding', place: 1, role: undefined, policy: 'p' }] }],
    });
  });
});
