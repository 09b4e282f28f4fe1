import type { Policy, Rule, Selector } from './records.ts';

/** The filters of the rules. An empty string matches everything. */
export type RuleFilter = {
  readonly policy: string;
  readonly effect: string;
  readonly action: string;
  readonly provider: string;
  readonly bucket: string;
};

/** A rule with its policy and its number in the policy, counted from 1. */
export type PlacedRule = { readonly policy: Policy; readonly rule: Rule; readonly number: number };

/** The rules that match the filters, with resources in the provider and the bucket. This is a search for display; it makes no access decisions. */
export function filterRules(policies: readonly Policy[], filter: RuleFilter): PlacedRule[] {
  const placed = policies.flatMap((policy) => policy.rules.map((rule, index) => ({ policy, rule, number: index + 1 })));
  return placed.filter(
    ({ policy, rule }) =>
      (filter.policy === '' || policy.name === filter.policy) &&
      (filter.effect === '' || rule.effect === filter.effect) &&
      (filter.action === '' || rule.actions.some((action) => action === filter.action)) &&
      rule.resources.some((selector) => reaches(selector, filter)),
  );
}

function reaches(selector: Selector, { provider, bucket }: RuleFilter): boolean {
  if (selector.type === 'all') return true;
  if (provider !== '' && selector.provider !== provider) return false;
  return selector.type === 'provider' || bucket === '' || selector.bucket === bucket;
}

/** A folder or an object in a bucket. */
export type NarrowerPlace = Extract<Selector, { type: 'prefix' | 'object' }>;

/** The places inside a bucket or folder that rules about the actions name, each once. An answer about the bucket or folder does not cover them. */
export function narrowerPlaces(
  policies: readonly Policy[],
  asked: readonly string[],
  {
    provider,
    bucket,
    prefix = '',
  }: { readonly provider: string; readonly bucket?: string | undefined; readonly prefix?: string | undefined },
): NarrowerPlace[] {
  const selectors = policies.flatMap(({ rules }) =>
    rules
      .filter(({ actions }) => actions.some((action) => asked.includes(action)))
      .flatMap(({ resources }) => resources),
  );
  const inside = selectors.filter((selector): selector is NarrowerPlace => {
    if (
      (selector.type !== 'prefix' && selector.type !== 'object') ||
      selector.provider !== provider ||
      selector.bucket !== bucket
    )
      return false;
    const name = nameOf(selector);
    return name.startsWith(prefix) && (name !== prefix || (selector.type === 'prefix' && selector.each !== undefined));
  });
  return [...new Map(inside.map((selector) => [JSON.stringify(selector), selector])).values()].sort((a, b) =>
    nameOf(a) < nameOf(b) ? -1 : 1,
  );
}

function nameOf(selector: NarrowerPlace): string {
  return selector.type === 'object' ? selector.key : selector.prefix;
}

/** The in-app link to the rules of a policy. */
export function policyLink(policy: string): string {
  return `/admin/policies?${new URLSearchParams({ policy }).toString()}`;
}

/** The in-app link to the policies of a role. */
export function roleLink(role: string): string {
  return `/admin/roles?${new URLSearchParams({ role }).toString()}`;
}

/** The actions, providers and buckets that the policies name, as options of the filters. */
export function namesIn(policies: readonly Policy[]): {
  readonly actions: string[];
  readonly providers: string[];
  readonly buckets: string[];
} {
  const rules = policies.flatMap((policy) => policy.rules);
  const selectors = rules.flatMap((rule) => rule.resources);
  return {
    actions: sorted(rules.flatMap((rule) => rule.actions)),
    providers: sorted(selectors.flatMap((selector) => (selector.type === 'all' ? [] : [selector.provider]))),
    buckets: sorted(
      selectors.flatMap((selector) =>
        selector.type === 'all' || selector.type === 'provider' ? [] : [selector.bucket],
      ),
    ),
  };
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
