import fc from 'fast-check';
import { ATOMIC_ACTIONS } from '../../src/policy/model/action.ts';
import {
  bucketResource,
  objectResource,
  providerResource,
  type Resource,
  type Selector,
} from '../../src/policy/model/resource.ts';
import type { Policy, Rule } from '../../src/policy/model/rule.ts';

/** Few names, so that rules and requests meet; each with a twin in the other letter case, and a last one that no rule names. */
export const PROVIDERS = ['p', 'P', 'other'] as const;
export const BUCKETS = ['b', 'B', 'other'] as const;

/**
 * What keys are made of. U+FF5E and the emoji stand in one order in UTF-16 and in the other in UTF-8; the emoji share their first
 * unit, so that a tree has to split between the halves of a character.
 */
export const KEY_PARTS = ['a', 'A', 'b', '/', '\uff5e', '😀', '😁'] as const;

/** In no rule: what is appended with it is covered by what covers the rest, and by nothing else. */
export const FRESH = 'z';

const name = (names: readonly string[]) => fc.constantFrom(...names.slice(0, -1));

export const key = fc.array(fc.constantFrom(...KEY_PARTS), { maxLength: 4 }).map((parts) => parts.join(''));

export const selector: fc.Arbitrary<Selector> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Selector>({ type: 'all' }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('provider' as const), provider: name(PROVIDERS) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('bucket' as const), provider: name(PROVIDERS), bucket: name(BUCKETS) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('prefix' as const),
      provider: name(PROVIDERS),
      bucket: name(BUCKETS),
      prefix: key,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('object' as const),
      provider: name(PROVIDERS),
      bucket: name(BUCKETS),
      key,
    }),
  },
);

export const actions = fc.oneof(fc.subarray([...ATOMIC_ACTIONS], { minLength: 1 }), fc.constant([...ATOMIC_ACTIONS]));

const effect = fc.oneof(
  { weight: 3, arbitrary: fc.constant('allow' as const) },
  { weight: 1, arbitrary: fc.constant('deny' as const) },
);

export const rule: fc.Arbitrary<Rule> = fc.record({
  effect,
  actions,
  resources: fc.array(selector, { minLength: 1, maxLength: 3 }),
});

const names = ['one', 'two', 'three'];

export const policies: fc.Arbitrary<Policy[]> = fc
  .array(fc.array(rule, { maxLength: 6 }), { maxLength: names.length })
  .map((lists) => lists.map((rules, i) => ({ name: names[i]!, source: 'config', rules })));

/** Keys where decisions can differ: those that the rules name, their neighbours above and below, and a few others. */
export function interestingKeys(given: readonly Policy[]): string[] {
  const keys = new Set<string>(['', FRESH, ...KEY_PARTS]);
  for (const { resources } of given.flatMap(({ rules }) => rules)) {
    for (const selector of resources) {
      const path = 'prefix' in selector ? selector.prefix : 'key' in selector ? selector.key : '';
      keys
        .add(path)
        .add(path + FRESH)
        .add(`${path}/`)
        .add(Array.from(path).slice(0, -1).join(''));
      for (const part of KEY_PARTS) keys.add(path + part);
    }
  }
  return [...keys];
}

/** Every provider and bucket, and every interesting key in every bucket. */
export function interestingResources(given: readonly Policy[]): Resource[] {
  const keys = interestingKeys(given);
  return PROVIDERS.flatMap((provider) => [
    providerResource(provider),
    ...BUCKETS.flatMap((bucket) => [
      bucketResource(provider, bucket),
      ...keys.map((key) => objectResource(provider, bucket, key)),
    ]),
  ]);
}
