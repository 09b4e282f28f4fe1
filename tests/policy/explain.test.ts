import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS, resourceKindOf } from '../../src/policy/model/action.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { explain, explainUnnamed, type Explanation } from '../../src/policy/answers/explain.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import { bucketResource, objectResource } from '../../src/policy/model/resource.ts';
import { BUCKETS, FRESH, interestingResources, key, policies, PROVIDERS } from './arbitraries.ts';
import { coversNaively } from './oracle.ts';

describe('explain', () => {
  it('gives the decision and exactly the rules that match', () => {
    fc.assert(
      fc.property(policies, (given) => {
        const grants = compileGrants(given);
        for (const resource of interestingResources(given).filter((_, i) => i % 7 === 0)) {
          for (const action of ATOMIC_ACTIONS) {
            const { decision, matches } = explain(grants, action, resource);
            const expected = given.flatMap(({ name, rules }) =>
              rules.flatMap((rule, number) =>
                rule.resources
                  .filter(
                    (selector) =>
                      resourceKindOf(action) === resource.kind &&
                      rule.actions.includes(action) &&
                      coversNaively(selector, resource),
                  )
                  .map((selector) =>
                    JSON.stringify({ rule: { policy: name, rule: number }, effect: rule.effect, selector }),
                  ),
              ),
            );
            if (decision !== decide(grants, action, resource)) throw new Error('another decision');
            if (
              matches
                .map((match) => JSON.stringify(match))
                .sort()
                .join() !== expected.sort().join()
            ) {
              throw new Error(`${action} on ${JSON.stringify(resource)}: ${JSON.stringify(matches)}`);
            }
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('lists the widest selector first', () => {
    const resources = [
      { type: 'object', provider: 'p', bucket: 'b', key: 'a/1' },
      { type: 'prefix', provider: 'p', bucket: 'b', prefix: 'a/' },
      { type: 'bucket', provider: 'p', bucket: 'b' },
      { type: 'provider', provider: 'p' },
      { type: 'all' },
    ] as const;
    const grants = compileGrants([
      {
        name: 'test',
        source: 'config',
        rules: [{ effect: 'allow', actions: ['objects:get', 'buckets:list'], resources }],
      },
    ]);
    expect(
      explain(grants, 'objects:get', objectResource('p', 'b', 'a/1')).matches.map(({ selector }) => selector.type),
    ).toEqual(['all', 'provider', 'bucket', 'prefix', 'object']);
    expect(
      explain(grants, 'buckets:list', bucketResource('p', 'b')).matches.map(({ selector }) => selector.type),
    ).toEqual(['all', 'provider', 'bucket']);
  });
});

describe('explainUnnamed', () => {
  it('says what explain says of a bucket or key there that no rule names', () => {
    fc.assert(
      fc.property(policies, key, (given, prefix) => {
        const grants = compileGrants(given);
        const same = (told: Explanation, asked: Explanation) =>
          expect([told.decision.allowed, told.decision.reason, told.matches]).toEqual([
            asked.decision.allowed,
            asked.decision.reason,
            asked.matches,
          ]);
        for (const action of ATOMIC_ACTIONS) {
          for (const provider of PROVIDERS) {
            if (resourceKindOf(action) === 'bucket')
              same(
                explainUnnamed(grants, action, { provider }),
                explain(grants, action, bucketResource(provider, FRESH)),
              );
            if (resourceKindOf(action) !== 'object') continue;
            same(
              explainUnnamed(grants, action, { provider }),
              explain(grants, action, objectResource(provider, FRESH, FRESH)),
            );
            for (const bucket of BUCKETS)
              same(
                explainUnnamed(grants, action, { provider, bucket, prefix }),
                explain(grants, action, objectResource(provider, bucket, prefix + FRESH)),
              );
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
