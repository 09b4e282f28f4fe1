import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, type AtomicAction } from '../../src/policy/model/action.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { compileGrants, EVERYTHING, NOTHING } from '../../src/policy/index/grants.ts';
import { bucketResource, objectResource, providerResource, type Selector } from '../../src/policy/model/resource.ts';
import type { Policy, Rule } from '../../src/policy/model/rule.ts';
import { interestingResources, policies, rule } from './arbitraries.ts';
import { decideNaively } from './oracle.ts';

const CASES = 1_000_000;

const policy = (rules: readonly Rule[], name = 'test'): Policy => ({ name, source: 'config', rules });
const allow = (actions: readonly AtomicAction[], ...resources: Selector[]): Rule => ({
  effect: 'allow',
  actions,
  resources,
});
const deny = (actions: readonly AtomicAction[], ...resources: Selector[]): Rule => ({
  effect: 'deny',
  actions,
  resources,
});

describe('decide', () => {
  it('agrees with a scan of all rules on a million random cases', () => {
    let cases = 0;
    const reasons = { allowed: 0, no_matching_allow: 0, explicit_deny: 0 };
    const property = fc.property(policies, (given) => {
      const grants = compileGrants(given);
      for (const resource of interestingResources(given)) {
        for (const action of ATOMIC_ACTIONS) {
          const expected = decideNaively(given, action, resource);
          const decision = decide(grants, action, resource);
          if (decision.reason !== expected || decision.allowed !== (expected === 'allowed')) {
            throw new Error(`${action} on ${JSON.stringify(resource)}: expected ${expected}, got ${decision.reason}`);
          }
          reasons[expected]++;
          cases++;
        }
      }
    });
    while (cases < CASES) fc.assert(property, { numRuns: 50 });
    expect(Math.min(...Object.values(reasons))).toBeGreaterThan(CASES / 100);
  });

  it('names a rule that has the effect decided and covers the resource', () => {
    fc.assert(
      fc.property(policies, (given) => {
        const grants = compileGrants(given);
        for (const resource of interestingResources(given)) {
          for (const action of ATOMIC_ACTIONS) {
            const { reason, rule: ref } = decide(grants, action, resource);
            if ((reason === 'no_matching_allow') !== (ref === undefined))
              throw new Error(`${reason} and ${JSON.stringify(ref)}`);
            if (ref === undefined) continue;
            const named = given.find(({ name }) => name === ref.policy)!.rules[ref.rule]!;
            const alone = decideNaively([policy([named])], action, resource);
            if (alone !== reason) throw new Error(`${JSON.stringify(ref)} alone gives ${alone}, not ${reason}`);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('never grants more after a deny is added', () => {
    fc.assert(
      fc.property(policies, rule, (given, added) => {
        const before = compileGrants(given);
        const after = compileGrants([...given, policy([{ ...added, effect: 'deny' }], 'added')]);
        for (const resource of interestingResources(given)) {
          for (const action of ATOMIC_ACTIONS) {
            if (decide(after, action, resource).allowed && !decide(before, action, resource).allowed)
              throw new Error(`${action} was granted`);
          }
        }
      }),
    );
  });

  it('never takes away after an allow is added', () => {
    fc.assert(
      fc.property(policies, rule, (given, added) => {
        const before = compileGrants(given);
        const after = compileGrants([...given, policy([{ ...added, effect: 'allow' }], 'added')]);
        for (const resource of interestingResources(given)) {
          for (const action of ATOMIC_ACTIONS) {
            if (decide(before, action, resource).allowed && !decide(after, action, resource).allowed)
              throw new Error(`${action} was lost`);
          }
        }
      }),
    );
  });

  it('does not depend on the order of policies and rules', () => {
    fc.assert(
      fc.property(policies, (given) => {
        const grants = compileGrants(given);
        const reversed = compileGrants(given.toReversed().map((one) => ({ ...one, rules: one.rules.toReversed() })));
        for (const resource of interestingResources(given)) {
          for (const action of ATOMIC_ACTIONS) {
            if (decide(grants, action, resource).reason !== decide(reversed, action, resource).reason)
              throw new Error(`${action} differs`);
          }
        }
      }),
    );
  });

  it('takes `photos` for a prefix of `photos-private`, and `photos/` not', () => {
    const key = objectResource('p', 'b', 'photos-private/x');
    const withPrefix = (prefix: string) =>
      compileGrants([policy([allow(['objects:get'], { type: 'prefix', provider: 'p', bucket: 'b', prefix })])]);
    expect(decide(withPrefix('photos'), 'objects:get', key).allowed).toBe(true);
    expect(decide(withPrefix('photos/'), 'objects:get', key).allowed).toBe(false);
  });

  it('tells names apart that differ in letter case only', () => {
    const grants = compileGrants([
      policy([allow(['objects:get'], { type: 'object', provider: 'p', bucket: 'b', key: 'k' })]),
    ]);
    expect(decide(grants, 'objects:get', objectResource('p', 'b', 'k')).allowed).toBe(true);
    expect(decide(grants, 'objects:get', objectResource('P', 'b', 'k')).allowed).toBe(false);
    expect(decide(grants, 'objects:get', objectResource('p', 'B', 'k')).allowed).toBe(false);
    expect(decide(grants, 'objects:get', objectResource('p', 'b', 'K')).allowed).toBe(false);
  });

  it('takes `x`, `/x`, `//x` and `%2Fx` for four keys', () => {
    const keys = ['x', '/x', '//x', '%2Fx'];
    for (const allowed of keys) {
      const grants = compileGrants([
        policy([allow(['objects:get'], { type: 'object', provider: 'p', bucket: 'b', key: allowed })]),
      ]);
      expect(keys.filter((key) => decide(grants, 'objects:get', objectResource('p', 'b', key)).allowed)).toEqual([
        allowed,
      ]);
    }
  });

  it('does not take names that objects inherit for names of rules', () => {
    const grants = compileGrants([policy([allow(['buckets:list'], { type: 'bucket', provider: 'p', bucket: 'b' })])]);
    for (const inherited of ['__proto__', 'constructor', 'toString']) {
      expect(decide(grants, 'buckets:list', bucketResource(inherited, inherited)).allowed).toBe(false);
      expect(decide(EVERYTHING, inherited as AtomicAction, bucketResource('p', 'b')).allowed).toBe(false);
    }
  });

  it('does not let a bucket selector reach up to its provider', () => {
    const grants = compileGrants([
      policy([allow([...ATOMIC_ACTIONS], { type: 'bucket', provider: 'p', bucket: 'b' })]),
    ]);
    expect(decide(grants, 'providers:list', providerResource('p'))).toEqual({
      allowed: false,
      reason: 'no_matching_allow',
      rule: undefined,
    });
  });

  it('does not let a prefix selector, even an empty one, reach up to its bucket', () => {
    const grants = compileGrants([
      policy([allow([...ATOMIC_ACTIONS], { type: 'prefix', provider: 'p', bucket: 'b', prefix: '' })]),
    ]);
    expect(decide(grants, 'buckets:list', bucketResource('p', 'b')).allowed).toBe(false);
    expect(decide(grants, 'objects:get', objectResource('p', 'b', 'any')).allowed).toBe(true);
  });

  it('allows no action on another kind of resource than its own', () => {
    expect(decide(EVERYTHING, 'objects:get', bucketResource('p', 'b')).allowed).toBe(false);
    expect(decide(EVERYTHING, 'buckets:list', objectResource('p', 'b', 'k')).allowed).toBe(false);
  });

  it('denies by default', () => {
    expect(decide(NOTHING, 'objects:get', objectResource('p', 'b', 'k'))).toEqual({
      allowed: false,
      reason: 'no_matching_allow',
      rule: undefined,
    });
  });

  it('names the rule with the widest selector, and of equals the first', () => {
    const bucket: Selector = { type: 'bucket', provider: 'p', bucket: 'b' };
    const prefix: Selector = { type: 'prefix', provider: 'p', bucket: 'b', prefix: 'a/' };
    const grants = compileGrants([
      policy([allow(['objects:get'], prefix), allow(['objects:get'], bucket), allow(['objects:get'], bucket)]),
    ]);
    expect(decide(grants, 'objects:get', objectResource('p', 'b', 'a/1')).rule).toEqual({ policy: 'test', rule: 1 });
    const denied = compileGrants([
      policy([allow(['objects:get'], bucket), deny(['objects:get'], prefix), deny(['objects:get'], prefix)]),
    ]);
    expect(decide(denied, 'objects:get', objectResource('p', 'b', 'a/1'))).toEqual({
      allowed: false,
      reason: 'explicit_deny',
      rule: { policy: 'test', rule: 1 },
    });
  });

  it('finds each of ten thousand keys that differ in one character', () => {
    const keys = Array.from({ length: 10_000 }, (_, i) => `k/${String.fromCharCode(0x4e00 + 2 * i)}`);
    const rules = keys.map((key) => allow(['objects:get'], { type: 'object', provider: 'p', bucket: 'b', key }));
    const grants = compileGrants([policy(rules)]);
    const beside = keys.map((key) => `k/${String.fromCharCode(key.charCodeAt(2) + 1)}`);
    expect(keys.map((key) => decide(grants, 'objects:get', objectResource('p', 'b', key)).rule?.rule)).toEqual(
      keys.map((_, i) => i),
    );
    expect(beside.filter((key) => decide(grants, 'objects:get', objectResource('p', 'b', key)).allowed)).toEqual([]);
  });

  it('takes prefixes that are nested ten thousand deep', () => {
    const rules = Array.from({ length: 10_000 }, (_, i) =>
      allow(['objects:get'], { type: 'prefix', provider: 'p', bucket: 'b', prefix: 'a'.repeat(i + 1) }),
    );
    expect(
      decide(compileGrants([policy(rules)]), 'objects:get', objectResource('p', 'b', 'a'.repeat(20_000))).rule,
    ).toEqual({ policy: 'test', rule: 0 });
  });
});
