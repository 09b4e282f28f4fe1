import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  allowedBeneath,
  allowedByKey,
  allowedOnNewKey,
  allowedThroughout,
  commonPrefixVisible,
} from '../../src/policy/listing/beneath.ts';
import { compileGrants, EVERYTHING, NOTHING } from '../../src/policy/index/grants.ts';
import { BUCKET_PERMISSIONS, permissionList, PROVIDER_PERMISSIONS } from '../../src/policy/listing/permission-list.ts';
import type { Scope } from '../../src/policy/model/resource.ts';
import type { Policy } from '../../src/policy/model/rule.ts';
import { ATOMIC_ACTIONS, maskOfAll } from '../../src/policy/model/action.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { objectResource } from '../../src/policy/model/resource.ts';
import { BUCKETS, FRESH, interestingKeys, policies, PROVIDERS } from './arbitraries.ts';
import { allowedBeneathNaively } from './oracle.ts';

function scopes(given: readonly Policy[]): Scope[] {
  const keys = interestingKeys(given);
  return PROVIDERS.flatMap((provider): Scope[] => [
    { provider },
    ...BUCKETS.flatMap((bucket): Scope[] => [
      { provider, bucket },
      ...keys.flatMap((name): Scope[] => [
        { provider, bucket, prefix: name },
        { provider, bucket, key: name },
      ]),
    ]),
  ]);
}

describe('allowedBeneath', () => {
  it('agrees with trying every resource in the scope', () => {
    fc.assert(
      fc.property(policies, fc.nat(), (given, offset) => {
        const grants = compileGrants(given);
        const all = scopes(given);
        const some = all.filter((scope, i) => !('prefix' in scope || 'key' in scope) || (i + offset) % 12 === 0);
        for (const scope of some) {
          const expected = allowedBeneathNaively(given, scope);
          const actual = allowedBeneath(grants, scope);
          if (actual !== expected)
            throw new Error(`${JSON.stringify(scope)}: expected ${expected.toString(2)}, got ${actual.toString(2)}`);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('allowedThroughout', () => {
  it('agrees with trying every key that starts with the prefix', () => {
    fc.assert(
      fc.property(policies, fc.nat(), (given, offset) => {
        const grants = compileGrants(given);
        const keys = interestingKeys(given);
        for (const prefix of keys.filter((_, i) => (i + offset) % 6 === 0)) {
          const beneath = [prefix, prefix + FRESH, ...keys.filter((key) => key.startsWith(prefix))];
          const expected = beneath.every(
            (key) => decide(grants, 'objects:list', objectResource('p', 'b', key)).allowed,
          );
          expect([prefix, allowedThroughout(grants, 'objects:list', { provider: 'p', bucket: 'b', prefix })]).toEqual([
            prefix,
            expected,
          ]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('allowedOnNewKey and allowedByKey', () => {
  it('agree with the decision on each key', () => {
    fc.assert(
      fc.property(policies, (given) => {
        const grants = compileGrants(given);
        for (const provider of PROVIDERS) {
          for (const bucket of BUCKETS) {
            const decided = (key: string) =>
              maskOfAll(
                ATOMIC_ACTIONS.filter(
                  (action) => decide(grants, action, objectResource(provider, bucket, key)).allowed,
                ),
              );
            const byKey = allowedByKey(grants, { provider, bucket });
            for (const key of interestingKeys(given)) {
              const place = { provider, bucket, prefix: key };
              expect([place, byKey(key), allowedOnNewKey(grants, place)]).toEqual([
                place,
                decided(key),
                decided(key + FRESH),
              ]);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

const onlyHome: Policy = {
  name: 'home',
  source: 'config',
  rules: [
    {
      effect: 'allow',
      actions: ['objects:list', 'objects:get'],
      resources: [{ type: 'prefix', provider: 'p', bucket: 'b', prefix: 'home/ada/' }],
    },
    {
      effect: 'deny',
      actions: ['objects:get'],
      resources: [{ type: 'prefix', provider: 'p', bucket: 'b', prefix: 'home/ada/keys/' }],
    },
  ],
};

describe('commonPrefixVisible', () => {
  const grants = compileGrants([onlyHome]);

  it.each(['', 'h', 'home/', 'home/ada/', 'home/ada/papers/', 'home/ada/keys/'])(
    'shows `%s`: a key beneath it may be listed',
    (prefix) => {
      expect(commonPrefixVisible(grants, { provider: 'p', bucket: 'b', prefix })).toBe(true);
    },
  );

  it.each(['home/bob/', 'home/adam', 'Home/', 'other/'])('hides `%s`: no key beneath it may be listed', (prefix) => {
    expect(commonPrefixVisible(grants, { provider: 'p', bucket: 'b', prefix })).toBe(false);
  });
});

describe('permissionList', () => {
  it('lists every permission of the endpoint, in its order, for a caller who may do everything', () => {
    expect(permissionList(EVERYTHING, { provider: 'p' })).toEqual(PROVIDER_PERMISSIONS);
    expect(permissionList(EVERYTHING, { provider: 'p', bucket: 'b' })).toEqual(BUCKET_PERMISSIONS);
  });

  it('lists nothing for a caller without a grant', () => {
    expect(permissionList(NOTHING, { provider: 'p' })).toEqual([]);
    expect(permissionList(NOTHING, { provider: 'p', bucket: 'b' })).toEqual([]);
  });

  it('lists what is allowed on some key of the scope, and a `:read` name only when all of it is', () => {
    const grants = compileGrants([onlyHome]);
    expect(permissionList(grants, { provider: 'p', bucket: 'b' })).toEqual([
      'objects:read',
      'objects:list',
      'objects:get',
    ]);
    expect(permissionList(grants, { provider: 'p', bucket: 'b', prefix: 'home/' })).toEqual([
      'objects:read',
      'objects:list',
      'objects:get',
    ]);
    expect(permissionList(grants, { provider: 'p', bucket: 'b', prefix: 'home/ada/keys/' })).toEqual(['objects:list']);
    expect(permissionList(grants, { provider: 'p', bucket: 'b', key: 'home/ada/keys/1' })).toEqual(['objects:list']);
    expect(permissionList(grants, { provider: 'p', bucket: 'b', key: 'home/' })).toEqual([]);
    expect(permissionList(grants, { provider: 'p' })).toEqual([]);
  });

  it('lists `buckets:read` of a provider when one bucket of it may be listed', () => {
    const grants = compileGrants([
      {
        name: 'one',
        source: 'config',
        rules: [
          { effect: 'allow', actions: ['buckets:list'], resources: [{ type: 'bucket', provider: 'p', bucket: 'b' }] },
        ],
      },
    ]);
    expect(permissionList(grants, { provider: 'p' })).toEqual(['buckets:read']);
    expect(permissionList(grants, { provider: 'P' })).toEqual([]);
  });
});
