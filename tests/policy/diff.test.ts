import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, resourceKindOf, type AtomicAction } from '../../src/policy/action.ts';
import { UNRESTRICTED } from '../../src/policy/builtin.ts';
import { diffPolicies, type Change, type Gain } from '../../src/policy/diff.ts';
import { holderId, type Holder } from '../../src/policy/holder.ts';
import { isBucketName, isProviderName, keyFault } from '../../src/policy/name.ts';
import type { PolicySetDefinition } from '../../src/policy/policy-set.ts';
import type { Resource, Selector } from '../../src/policy/resource.ts';
import type { Effect, Rule } from '../../src/policy/rule.ts';
import { interestingResources } from './arbitraries.ts';
import { bucketName, heldNaively, pairOfDefinitions, people, type PlainDefinition } from './definitions.ts';
import { coversNaively, decideNaively } from './oracle.ts';

/** The whole of it takes minutes: `SVC_TEST_PAIRS=10000`. */
const PAIRS = Number(process.env['SVC_TEST_PAIRS'] ?? 15);

type Request = { readonly action: AtomicAction; readonly resource: Resource };

/** Everything at which an answer can change, as far as a request can name it. */
function requestsFor(definitions: readonly PlainDefinition[]): Request[] {
  const resources = interestingResources(definitions.flatMap(({ policies }) => policies)).map((resource) => ('bucket' in resource ? { ...resource, bucket: bucketName(resource.bucket) } : resource));
  return resources.filter(isPossible).flatMap((resource) => ATOMIC_ACTIONS.filter((action) => resourceKindOf(action) === resource.kind).map((action) => ({ action, resource })));
}

function isPossible(resource: Resource): boolean {
  const { provider, bucket, key } = { bucket: 'bucket', key: 'key', ...resource };
  return isProviderName(provider) && isBucketName(bucket) && keyFault(key, 'keep') === undefined;
}

const isIn = ({ action, resource }: Request) => ({ actions, selector, except }: { readonly actions: readonly AtomicAction[]; readonly selector: Selector; readonly except: readonly Selector[] }) =>
  actions.includes(action) && coversNaively(selector, resource) && !except.some((other) => coversNaively(other, resource));

function isNamed({ who }: Change, person: readonly Holder[]): boolean {
  const ids = person.map(holderId);
  const has = (list: readonly Holder[], id: string) => list.some((holder) => holderId(holder) === id);
  if (who.length !== ids.length) return false;
  return ids.length < 2 ? who.every((list) => has(list, ids[0]!)) : (has(who[0]!, ids[0]!) && has(who[1]!, ids[1]!)) || (has(who[0]!, ids[1]!) && has(who[1]!, ids[0]!));
}

const sizes = (gain: Gain | undefined, request: Request) => (gain?.regions ?? []).filter(isIn(request)).length;

/** Holds the answer against every person at every request. */
function check(before: PlainDefinition, after: PlainDefinition): { changed: number; together: number } {
  const changes = diffPolicies(before, after);
  const requests = requestsFor([before, after]);
  const named = new Set([before, after].flatMap(({ bindings, localUsers }) => [...bindings.flatMap((one): readonly Holder[] => ('groups' in one ? one.groups.map((group) => ({ group })) : one.subjects)), ...localUsers]).map(holderId));
  const allowed = (policies: PlainDefinition['policies'], { action, resource }: Request) => decideNaively(policies, action, resource) === 'allowed';
  const isLocal = (person: readonly Holder[]) => [before, after].every(({ localUsers }) => localUsers.some(({ subject }) => person.some((holder) => 'subject' in holder && holder.subject === subject)));
  const cases = people.map((person) => ({
    person,
    held: [before, after].map((definition) => heldNaively(definition, person)),
    isTold: person.length < 2 || (person.length === 2 && !isLocal(person)) ? person.every((holder) => named.has(holderId(holder))) : false,
    alone: person.map((holder) => people.findIndex((other) => other.length === 1 && other[0] === holder)),
    told: changes.filter((change) => isNamed(change, person)),
    explaining: changes.filter((change) => change.who.every((list) => list.some((holder) => person.some((own) => holderId(own) === holderId(holder))))),
  }));
  let [changed, together] = [0, 0];

  for (const request of requests) {
    const answers = new Map([before, after].flatMap(({ policies }) => [...policies, UNRESTRICTED].map((policy) => [policy, decideNaively([policy], request.action, request.resource)])));
    const may = (policies: PlainDefinition['policies']) => policies.some((policy) => answers.get(policy) === 'allowed') && !policies.some((policy) => answers.get(policy) === 'explicit_deny');
    const directions = cases.map(({ held: [one, other] }) => Number(may(other!.policies)) - Number(may(one!.policies)));
    for (const [i, { person, isTold, alone, told, explaining }] of cases.entries()) {
      for (const [member, sign] of [['gained', 1], ['lost', -1]] as const) {
        const isChanged = directions[i] === sign;
        const expected = isChanged && (person.length < 2 || !alone.some((one) => directions[one] === sign));
        if (isTold && told.reduce((sum, change) => sum + sizes(change[member], request), 0) !== Number(expected)) {
          throw new Error(`${JSON.stringify(person)} ${member} ${JSON.stringify(request)}: expected ${expected}, told ${JSON.stringify(told)}`);
        }
        if (!isChanged) continue;
        changed++;
        if (expected && person.length === 2) together++;
        if (!explaining.some((change) => sizes(change[member], request) > 0)) throw new Error(`nothing told explains that ${JSON.stringify(person)} ${member} ${JSON.stringify(request)}`);
      }
    }
  }
  for (const { who, gained, lost } of changes) {
    const person = who.map(([first]) => first!);
    const [one, other] = [before, after].map((definition) => heldNaively(definition, person));
    for (const [gain, from, to] of [[gained, one!, other!], [lost, other!, one!]] as const) {
      if (gain.admin && (from.isAdmin || !to.isAdmin)) throw new Error(`${JSON.stringify(person)} is no administrator`);
      for (const region of gain.regions) {
        const request = { action: region.actions[0]!, resource: region.example };
        if (!isPossible(region.example) || !isIn(request)(region) || allowed(from.policies, request) || !allowed(to.policies, request)) throw new Error(`${JSON.stringify(request)} is no example of ${JSON.stringify(region)}`);
      }
    }
  }
  for (const { person, held: [one, other], explaining } of cases) {
    if (!one!.isAdmin && other!.isAdmin && !explaining.some(({ gained }) => gained.admin)) throw new Error(`${JSON.stringify(person)} becomes an administrator`);
    if (one!.isAdmin && !other!.isAdmin && !explaining.some(({ lost }) => lost.admin)) throw new Error(`${JSON.stringify(person)} is no administrator any more`);
  }
  return { changed, together };
}

const rule = (effect: Effect, prefix: string): Rule => ({ effect, actions: ['objects:get'], resources: [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix }] });
const NOTHING: PolicySetDefinition = { policies: [], roles: [], bindings: [], localUsers: [], enabled: true };

describe('diffPolicies', () => {
  it(
    'equals brute force over every person and every request, on random pairs',
    () => {
      const seen = { changed: 0, together: 0 };
      const property = fc.property(pairOfDefinitions, ([before, after]) => {
        const { changed, together } = check(before, after);
        seen.changed += changed;
        seen.together += together;
      });
      // Changes that only two bindings make together are rare.
      while (seen.changed === 0 || seen.together === 0) fc.assert(property, { numRuns: PAIRS });
    },
    30_000 + PAIRS * 1_000,
  );

  it('says nothing where only the form changes', () => {
    const one: PolicySetDefinition = { ...NOTHING, policies: [{ name: 'p', source: 'config', rules: [rule('allow', ''), rule('allow', 'a/')] }], bindings: [{ groups: ['g'], policies: ['p'] }] };
    const other: PolicySetDefinition = { ...NOTHING, policies: [{ name: 'q', source: 'config', rules: [rule('allow', '')] }], roles: [{ name: 'r', policies: ['q'] }], bindings: [{ groups: ['g'], role: 'r' }] };
    expect(diffPolicies(one, other)).toEqual([]);
  });

  it('names what two bindings give only together: a deny that one of them no longer has', () => {
    const definition = (...denied: Rule[]): PolicySetDefinition => ({
      ...NOTHING,
      policies: [{ name: 'all', source: 'config', rules: [rule('allow', '')] }, { name: 'not', source: 'config', rules: denied }],
      bindings: [{ groups: ['staff', 'guests'], policies: ['all'] }, { groups: ['interns'], policies: ['not'] }],
    });
    expect(diffPolicies(definition(rule('deny', 'hr/'), rule('deny', 'hr/pay/')), definition(rule('deny', 'hr/pay/')))).toEqual([
      {
        who: [[{ group: 'staff' }, { group: 'guests' }], [{ group: 'interns' }]],
        gained: {
          admin: false,
          regions: [
            {
              actions: ['objects:get'],
              selector: { type: 'prefix', provider: 'main', bucket: 'photos', prefix: 'hr/' },
              except: [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: 'hr/pay/' }],
              example: { kind: 'object', provider: 'main', bucket: 'photos', key: 'hr/example' },
            },
          ],
        },
        lost: { admin: false, regions: [] },
      },
    ]);
  });

  it('leaves out what no request can name', () => {
    const key = 'k'.repeat(1024);
    const of = (effect: Effect): PolicySetDefinition => ({
      ...NOTHING,
      policies: [
        {
          name: 'p',
          source: 'config',
          rules: [rule('allow', `${key}k`), rule('allow', '\ud83d\ud83d'), { effect, actions: ['objects:get'], resources: [{ type: 'object', provider: 'main', bucket: 'photos', key }] }, rule('allow', key)],
        },
      ],
      bindings: [{ groups: ['g'], policies: ['p'] }],
    });
    expect(diffPolicies(NOTHING, of('deny'))).toEqual([]);
    expect(diffPolicies(NOTHING, of('allow')).flatMap(({ gained }) => gained.regions.map(({ selector }) => selector.type))).toEqual(['object']);
  });
});
