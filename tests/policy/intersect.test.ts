import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS } from '../../src/policy/action.ts';
import { covers, narrower } from '../../src/policy/covers.ts';
import { decide } from '../../src/policy/decide.ts';
import { compileGrants } from '../../src/policy/grants.ts';
import { restrict, type ScopeRule } from '../../src/policy/intersect.ts';
import type { Policy } from '../../src/policy/rule.ts';
import { actions, interestingResources, policies, selector } from './arbitraries.ts';
import { coversNaively } from './oracle.ts';

const scope: fc.Arbitrary<ScopeRule[]> = fc.array(fc.record({ actions, resources: fc.array(selector, { maxLength: 3 }) }), { maxLength: 4 });

const asPolicy = (rules: readonly ScopeRule[]): Policy => ({ name: 'scope', source: 'config', rules: rules.map((rule) => ({ effect: 'allow', ...rule })) });

describe('restrict', () => {
  it('allows what both the policies and the scope allow, and nothing else', () => {
    fc.assert(
      fc.property(policies, scope, (given, within) => {
        const granted = compileGrants(given);
        const scoped = compileGrants([asPolicy(within)]);
        const restricted = compileGrants(restrict(given, within));
        for (const resource of interestingResources([...given, asPolicy(within)])) {
          for (const action of ATOMIC_ACTIONS) {
            const expected = decide(granted, action, resource).allowed && decide(scoped, action, resource).allowed;
            if (decide(restricted, action, resource).allowed !== expected) throw new Error(`${action} on ${JSON.stringify(resource)}`);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('allows nothing with an empty scope, and keeps every deny', () => {
    const policy: Policy = {
      name: 'test',
      source: 'config',
      rules: [
        { effect: 'allow', actions: ['objects:get'], resources: [{ type: 'all' }] },
        { effect: 'deny', actions: ['objects:get'], resources: [{ type: 'provider', provider: 'p' }] },
      ],
    };
    expect(restrict([policy], [])).toEqual([{ ...policy, rules: [policy.rules[1]] }]);
  });
});

describe('covers', () => {
  it('agrees with the specification read aloud', () => {
    fc.assert(
      fc.property(selector, (one) => {
        const policy: Policy = { name: 'test', source: 'config', rules: [{ effect: 'allow', actions: ['objects:get'], resources: [one] }] };
        for (const resource of interestingResources([policy])) {
          if (covers(one, resource) !== coversNaively(one, resource)) throw new Error(JSON.stringify({ one, resource }));
        }
      }),
    );
  });
});

describe('narrower', () => {
  it('covers exactly what both cover', () => {
    fc.assert(
      fc.property(selector, selector, (a, b) => {
        const both = narrower(a, b);
        const policy: Policy = { name: 'test', source: 'config', rules: [{ effect: 'allow', actions: ['objects:get'], resources: [a, b] }] };
        for (const resource of interestingResources([policy])) {
          const expected = coversNaively(a, resource) && coversNaively(b, resource);
          const actual = both !== undefined && coversNaively(both, resource);
          if (actual !== expected) throw new Error(JSON.stringify({ a, b, resource }));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
