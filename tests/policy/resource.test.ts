import { expect, it } from '@jest/globals';
import { bucketResource, describeResource, objectResource, providerResource } from '../../src/policy/model/resource.ts';

it('describes a resource by all of its names', () => {
  expect(
    [providerResource('p'), bucketResource('p', 'b'), objectResource('p', 'b', 'a/1')].map(describeResource),
  ).toEqual(['p', 'p/b', 'p/b/a/1']);
});
