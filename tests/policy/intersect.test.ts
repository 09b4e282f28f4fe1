import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS } from '../../src/policy/model/action.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import { restrict, type Compiled } from '../../src/policy/index/intersect.ts';
import type { Policy, Rule } from '../../src/policy/model/rule.ts';
import { actions, interestingResources, policies, selector } from './arbitraries.ts';

const scope = fc
  .array(
    fc.record({ effect: fc.constant('allow' as const), actions, resources: fc.array(selector, { maxLength: 3 }) }),
    { maxLength: 4 },
  )
  .map((rules): Policy[] => [{ name: 'scope', source: 'config', rules }]);

const compiled = (policies: readonly Policy[]): Compiled => ({ policies, grants: compileGrants(policies) });

describe('restrict', () => {
  it('allows what both the policies and the scope allow, and nothing else', () => {
    fc.assert(
      fc.property(policies, scope, (given, within) => {
        const [granted, scoped] = [compiled(given), compiled(within)];
        const restricted = compileGrants(restrict(granted, scoped));
        for (const resource of interestingResources([...given, ...within])) {
          for (const action of ATOMIC_ACTIONS) {
            const expected =
              decide(granted.grants, action, resource).allowed && decide(scoped.grants, action, resource).allowed;
            if (decide(restricted, action, resource).allowed !== expected)
              throw new Error(`${action} on ${JSON.stringify(resource)}`);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('keeps no more selectors than both have together, however many pairs overlap', () => {
    const rules = (count: number): Rule[] =>
      Array.from({ length: count }, () => ({
        effect: 'allow',
        actions: ['objects:get'],
        resources: [{ type: 'all' }, { type: 'prefix', provider: 'p', bucket: 'b', prefix: 'a' }],
      }));
    const sides = [
      compiled([{ name: 'given', source: 'config', rules: rules(300) }]),
      compiled([{ name: 'scope', source: 'config', rules: rules(200) }]),
    ] as const;
    const kept = restrict(...sides).flatMap((policy) => policy.rules.flatMap(({ resources }) => resources));
    expect(kept).toHaveLength(1_000);
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
    expect(restrict(compiled([policy]), compiled([]))).toEqual([{ ...policy, rules: [policy.rules[1]] }]);
  });
});
