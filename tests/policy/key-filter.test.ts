import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATOMIC_ACTIONS } from '../../src/policy/model/action.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import { keyFilter } from '../../src/policy/listing/key-filter.ts';
import { objectResource } from '../../src/policy/model/resource.ts';
import { BUCKETS, interestingKeys, policies, PROVIDERS } from './arbitraries.ts';

describe('keyFilter', () => {
  it('keeps the keys that decide allows, for every action', () => {
    fc.assert(
      fc.property(policies, (given) => {
        const grants = compileGrants(given);
        const keys = interestingKeys(given);
        for (const provider of PROVIDERS) {
          for (const bucket of BUCKETS) {
            for (const action of ATOMIC_ACTIONS) {
              const expected = keys.filter(
                (key) => decide(grants, action, objectResource(provider, bucket, key)).allowed,
              );
              expect(keys.filter(keyFilter(grants, action, { provider, bucket }))).toEqual(expected);
            }
          }
        }
      }),
    );
  });
});
