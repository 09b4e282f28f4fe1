import { ACTIONS_ON, maskOf, maskOfAll } from '../model/action.ts';
import { allowedBeneath } from '../listing/beneath.ts';
import type { Binding, Role } from '../model/binding.ts';
import { resolvePolicy } from '../model/each.ts';
import { compileGrants } from '../index/grants.ts';
import type { Selector } from '../model/resource.ts';
import type { Policy, Rule, WrittenPolicy } from '../model/rule.ts';

/** A provider or bucket that a binding does not show, although it lets people use objects in it. `missing` is the action that would show it, `place` its provider or bucket. */
export type Unfindable = {
  readonly policies: readonly string[];
  readonly missing: 'providers:list' | 'buckets:list';
  readonly place: string;
};

type Definition = {
  readonly policies: readonly WrittenPolicy[];
  readonly roles: readonly Role[];
  readonly bindings: readonly Binding[];
};

/**
 * Finds bindings that, taken alone, allow objects in a provider or bucket that they do not show. People with no other binding can reach these objects only by
 * address.
 *
 * @param providers - the names of all configured providers.
 */
export function unfindableObjects(
  { policies, roles, bindings }: Definition,
  providers: readonly string[],
): Unfindable[] {
  const named = new Map(policies.map((policy) => [policy.name, resolvePolicy(policy, SOMEBODY)]));
  const policiesOf = new Map(roles.map((role) => [role.name, role.policies]));
  const bundles = new Map(
    bindings.map((binding) => {
      const names = 'role' in binding ? (policiesOf.get(binding.role) ?? []) : binding.policies;
      return [JSON.stringify(names), names.flatMap((name) => named.get(name) ?? [])];
    }),
  );
  return [...bundles.values()].flatMap((bundle) => [
    ...new Map(missingIn(bundle, providers).map((one) => [`${one.missing} ${one.place}`, one])).values(),
  ]);
}

/** The claims of an arbitrary person, to resolve selectors with `each`. */
const SOMEBODY = { subject: 'somebody', groups: ['some-group'] };

function missingIn(policies: readonly Policy[], providers: readonly string[]): Unfindable[] {
  const grants = compileGrants(policies);
  const places = policies.flatMap(({ rules }) =>
    rules
      .filter(allowsObjects)
      .flatMap(({ resources }) => resources.flatMap((selector) => placesOf(selector, providers))),
  );
  return places.flatMap(({ provider, bucket }) => {
    const allowed = allowedBeneath(grants, bucket === undefined ? { provider } : { provider, bucket });
    if ((allowed & ACTIONS_ON.object) === 0) return [];
    const names = policies.map(({ name }) => name);
    const isProviderShown = (allowedBeneath(grants, { provider }) & maskOf('providers:list')) !== 0;
    return [
      ...(isProviderShown ? [] : [{ policies: names, missing: 'providers:list' as const, place: provider }]),
      ...((allowed & maskOf('buckets:list')) === 0
        ? [
            {
              policies: names,
              missing: 'buckets:list' as const,
              place: bucket === undefined ? provider : `${provider}/${bucket}`,
            },
          ]
        : []),
    ];
  });
}

function allowsObjects({ effect, actions }: Rule): boolean {
  return effect === 'allow' && (maskOfAll(actions) & ACTIONS_ON.object) !== 0;
}

type ProviderOrBucket = { readonly provider: string; readonly bucket?: string };

function placesOf(selector: Selector, providers: readonly string[]): ProviderOrBucket[] {
  if (selector.type === 'all') return providers.map((provider) => ({ provider }));
  if (!providers.includes(selector.provider)) return [];
  return [
    selector.type === 'provider'
      ? { provider: selector.provider }
      : { provider: selector.provider, bucket: selector.bucket },
  ];
}
