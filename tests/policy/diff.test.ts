import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, maskOfAll, resourceKindOf, type AtomicAction } from '../../src/policy/model/action.ts';
import { UNRESTRICTED } from '../../src/policy/model/builtin.ts';
import { diffPolicies, type Change, type Gain } from '../../src/policy/answers/diff.ts';
import { principalId, type Principal } from '../../src/policy/index/principal.ts';
import { isBucketName, isProviderName, keyFault } from '../../src/policy/model/name.ts';
import type { PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import type { Resource, Selector } from '../../src/policy/model/resource.ts';
import type { Effect, Rule } from '../../src/policy/model/rule.ts';
import { interestingResources } from './arbitraries.ts';
import { bucketName, heldNaively, pairOfDefinitions, people, type PlainDefinition } from './definitions.ts';
import { coversNaively, decideNaively, saidNaively } from './oracle.ts';

/** `SVC_TEST_PAIRS=10000` takes a minute. */
const PAIRS = Number(process.env['SVC_TEST_PAIRS'] ?? 500);

type Request = { readonly action: AtomicAction; readonly resource: Resource };

/** Everything at which an answer can change, as far as a request can name it. */
function resourcesFor(definitions: readonly PlainDefinition[]): Resource[] {
  return interestingResources(definitions.flatMap(({ policies }) => policies))
    .map((resource) => ('bucket' in resource ? { ...resource, bucket: bucketName(resource.bucket) } : resource))
    .filter(isPossible);
}

function isPossible(resource: Resource): boolean {
  const { provider, bucket, key } = { bucket: 'bucket', key: 'key', ...resource };
  return isProviderName(provider) && isBucketName(bucket) && keyFault(key, 'keep') === undefined;
}

const isIn = (
  { selector, except }: { readonly selector: Selector; readonly except: readonly Selector[] },
  resource: Resource,
) => coversNaively(selector, resource) && !except.some((other) => coversNaively(other, resource));

function isNamed({ who }: Change, person: readonly Principal[]): boolean {
  const ids = person.map(principalId);
  const has = (list: readonly Principal[], id: string) => list.some((holder) => principalId(holder) === id);
  if (who.length !== ids.length) return false;
  return ids.length < 2
    ? who.every((list) => has(list, ids[0]!))
    : (has(who[0]!, ids[0]!) && has(who[1]!, ids[1]!)) || (has(who[0]!, ids[1]!) && has(who[1]!, ids[0]!));
}

/** What is gained and lost, by `Request`s on one resource: a bit for each action. */
type Masks = readonly [gained: number, lost: number];

/** What a list of regions says of a resource: the actions in one of them, and those in more than one. */
function toldAt(gain: Gain, resource: Resource): { readonly once: number; readonly twice: number } {
  let [once, twice] = [0, 0];
  for (const region of gain.regions) {
    if (!isIn(region, resource)) continue;
    const mask = maskOfAll(region.actions);
    twice |= once & mask;
    once |= mask;
  }
  return { once, twice };
}

/** Holds the answer against every person at every request. */
function check(before: PlainDefinition, after: PlainDefinition): { changed: number; together: number } {
  const changes = diffPolicies(before, after);
  const named = new Set(
    [before, after]
      .flatMap(({ bindings, localUsers }) => [
        ...bindings.flatMap((one): readonly Principal[] =>
          'groups' in one ? one.groups.map((group) => ({ group })) : one.subjects,
        ),
        ...localUsers,
      ])
      .map(principalId),
  );
  const allowed = (policies: PlainDefinition['policies'], { action, resource }: Request) =>
    decideNaively(policies, action, resource) === 'allowed';
  const isLocal = (person: readonly Principal[]) =>
    [before, after].every(({ localUsers }) =>
      localUsers.some(({ subject }) => person.some((holder) => 'subject' in holder && holder.subject === subject)),
    );
  const policies = [...new Set([...before.policies, ...after.policies, UNRESTRICTED])];
  const cases = people.map((person) => {
    const held = [before, after].map((definition) => heldNaively(definition, person));
    return {
      person,
      held,
      at: held.map((one) => one.policies.map((policy) => policies.indexOf(policy))) as [number[], number[]],
      isTold:
        person.length < 2 || (person.length === 2 && !isLocal(person))
          ? person.every((holder) => named.has(principalId(holder)))
          : false,
      alone: person.map((holder) => people.findIndex((other) => other.length === 1 && other[0] === holder)),
      told: changes.flatMap((change, i) => (isNamed(change, person) ? [i] : [])),
      explaining: changes.flatMap((change, i) =>
        change.who.every((list) =>
          list.some((holder) => person.some((own) => principalId(own) === principalId(holder))),
        )
          ? [i]
          : [],
      ),
    };
  });
  let [changed, together] = [0, 0];

  /** What was looked at: all that follows for people depends on what policies say of a resource, and on what is told of it. */
  const seen = new Set<string>();
  for (const resource of resourcesFor([before, after])) {
    const said = policies.map((policy) => saidNaively(policy, resource));
    const told = changes.map(({ gained, lost }) => [toldAt(gained, resource), toldAt(lost, resource)] as const);
    const alike = `${resource.kind} ${said.map(({ allowed: may, denied }) => `${may}-${denied}`).join()} ${told.map((both) => both.map(({ once, twice }) => `${once}-${twice}`).join()).join()}`;
    if (seen.has(alike)) continue;
    seen.add(alike);
    const may = (held: readonly number[]) =>
      held.reduce((mask, i) => mask | said[i]!.allowed, 0) & ~held.reduce((mask, i) => mask | said[i]!.denied, 0);
    const masks = cases.map(({ at: [one, other] }): Masks => [may(other) & ~may(one), may(one) & ~may(other)]);
    const asked = maskOfAll(ATOMIC_ACTIONS.filter((action) => resourceKindOf(action) === resource.kind));
    for (const [i, one] of cases.entries()) {
      for (const side of [0, 1] as const) {
        const mask = masks[i]![side];
        let expected = mask;
        if (one.person.length > 1) for (const other of one.alone) expected &= ~masks[other]![side];
        if (one.isTold) {
          let [once, twice] = [0, 0];
          for (const change of one.told) {
            const { once: here, twice: again } = told[change]![side];
            twice |= again | (once & here);
            once |= here;
          }
          if ((once & asked) !== expected || (twice & asked) !== 0)
            throw fault(
              one.person,
              side,
              resource,
              `expected ${actionsIn(expected).join(', ')}; told ${JSON.stringify(changes)}`,
            );
        }
        if (mask === 0) continue;
        changed++;
        if (expected !== 0 && one.person.length === 2) together++;
        const explained = one.explaining.reduce((sum, change) => sum | told[change]![side].once, 0);
        if ((mask & ~explained) !== 0)
          throw fault(
            one.person,
            side,
            resource,
            `nothing told explains ${actionsIn(mask).join(', ')}: ${JSON.stringify(changes)}`,
          );
      }
    }
  }
  for (const { who, gained, lost } of changes) {
    const person = who.map(([first]) => first!);
    const [one, other] = [before, after].map((definition) => heldNaively(definition, person));
    for (const [gain, from, to] of [
      [gained, one!, other!],
      [lost, other!, one!],
    ] as const) {
      if (gain.admin && (from.isAdmin || !to.isAdmin)) throw new Error(`${JSON.stringify(person)} is no administrator`);
      for (const region of gain.regions) {
        const request = { action: region.actions[0]!, resource: region.example };
        if (
          !isPossible(region.example) ||
          !isIn(region, region.example) ||
          allowed(from.policies, request) ||
          !allowed(to.policies, request)
        )
          throw new Error(`${JSON.stringify(request)} is no example of ${JSON.stringify(region)}`);
      }
    }
  }
  for (const {
    person,
    held: [one, other],
    explaining,
  } of cases) {
    if (!one!.isAdmin && other!.isAdmin && !explaining.some((i) => changes[i]!.gained.admin))
      throw new Error(`${JSON.stringify(person)} becomes an administrator`);
    if (one!.isAdmin && !other!.isAdmin && !explaining.some((i) => changes[i]!.lost.admin))
      throw new Error(`${JSON.stringify(person)} is no administrator any more`);
  }
  return { changed, together };
}

function fault(person: readonly Principal[], side: 0 | 1, resource: Resource, what: string): Error {
  return new Error(
    `what ${JSON.stringify(person)} ${side === 0 ? 'gains' : 'loses'} at ${JSON.stringify(resource)}: ${what}`,
  );
}

function actionsIn(mask: number): AtomicAction[] {
  return ATOMIC_ACTIONS.filter((action) => (mask & maskOfAll([action])) !== 0);
}

const rule = (effect: Effect, prefix: string): Rule => ({
  effect,
  actions: ['objects:get'],
  resources: [{ type: 'prefix', provider: 'main', bucket: 'photos', prefix }],
});
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
    30_000 + PAIRS * 100,
  );

  it('says nothing where only the form changes', () => {
    const one: PolicySetDefinition = {
      ...NOTHING,
      policies: [{ name: 'p', source: 'config', rules: [rule('allow', ''), rule('allow', 'a/')] }],
      bindings: [{ groups: ['g'], policies: ['p'] }],
    };
    const other: PolicySetDefinition = {
      ...NOTHING,
      policies: [{ name: 'q', source: 'config', rules: [rule('allow', '')] }],
      roles: [{ name: 'r', policies: ['q'] }],
      bindings: [{ groups: ['g'], role: 'r' }],
    };
    expect(diffPolicies(one, other)).toEqual([]);
  });

  it('names what two bindings give only together: a deny that one of them no longer has', () => {
    const definition = (...denied: Rule[]): PolicySetDefinition => ({
      ...NOTHING,
      policies: [
        { name: 'all', source: 'config', rules: [rule('allow', '')] },
        { name: 'not', source: 'config', rules: denied },
      ],
      bindings: [
        { groups: ['staff', 'guests'], policies: ['all'] },
        { groups: ['interns'], policies: ['not'] },
      ],
    });
    expect(
      diffPolicies(definition(rule('deny', 'hr/'), rule('deny', 'hr/pay/')), definition(rule('deny', 'hr/pay/'))),
    ).toEqual([
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
          rules: [
            rule('allow', `${key}k`),
            rule('allow', '\ud83d\ud83d'),
            {
              effect,
              actions: ['objects:get'],
              resources: [{ type: 'object', provider: 'main', bucket: 'photos', key }],
            },
            rule('allow', key),
          ],
        },
      ],
      bindings: [{ groups: ['g'], policies: ['p'] }],
    });
    expect(diffPolicies(NOTHING, of('deny'))).toEqual([]);
    expect(
      diffPolicies(NOTHING, of('allow')).flatMap(({ gained }) => gained.regions.map(({ selector }) => selector.type)),
    ).toEqual(['object']);
  });
});
