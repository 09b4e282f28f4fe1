import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { covers } from '../../scripts/bench-policy/covers.ts';
import { interestingResources, selector } from '../policy/arbitraries.ts';
import { coversNaively } from '../policy/oracle.ts';

it('the other engines of the benchmark are asked by rules that mean the same', () => {
  fc.assert(
    fc.property(selector, (one) => {
      const resources = interestingResources([
        { name: 'test', source: 'config', rules: [{ effect: 'allow', actions: ['objects:get'], resources: [one] }] },
      ]);
      expect(resources.filter((resource) => covers(one, resource))).toEqual(
        resources.filter((resource) => coversNaively(one, resource)),
      );
    }),
  );
});
