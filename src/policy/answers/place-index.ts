import { addTo } from '../model/add-to.ts';
import type { WrittenSelector } from '../model/resource.ts';
import type { RuleRef, WrittenPolicy, WrittenRule } from '../model/rule.ts';

/** A bucket. Without a name: the provider itself, and each of its buckets that is not listed. */
export type ReviewedPlace = { readonly provider: string; readonly bucket: string | undefined };

/** The rules of a policy that concern a place, reduced to the place, and their numbers in the policy. */
export type PolicyAt = {
  readonly policy: WrittenPolicy;
  readonly numbers: readonly number[];
  readonly rules: readonly WrittenRule[];
};

/** Finds the rules that concern a place. Rules on everything and on providers are stored once. */
export class PlaceIndex {
  readonly #policies: ReadonlyMap<string, WrittenPolicy>;
  readonly #wide: (RuleRef & { readonly provider: string | undefined })[] = [];
  readonly #narrow = new Map<string, RuleRef[]>();

  constructor(policies: readonly WrittenPolicy[]) {
    this.#policies = new Map(policies.map((policy) => [policy.name, policy]));
    for (const { name, rules } of policies) {
      for (const [rule, { resources }] of rules.entries()) {
        for (const selector of resources) {
          if (!('bucket' in selector))
            this.#wide.push({ policy: name, rule, provider: selector.type === 'all' ? undefined : selector.provider });
          else addTo(this.#narrow, placeId(selector.provider, selector.bucket), { policy: name, rule });
        }
      }
    }
  }

  at(place: ReviewedPlace): ReadonlyMap<string, PolicyAt> {
    const { provider, bucket } = place;
    const found = new Map<string, number[]>();
    for (const { policy, rule, provider: only } of this.#wide)
      if (only === undefined || only === provider) addTo(found, policy, rule);
    for (const { policy, rule } of bucket === undefined ? [] : (this.#narrow.get(placeId(provider, bucket)) ?? []))
      addTo(found, policy, rule);
    return new Map(
      [...found].map(([name, rules]) => {
        const policy = this.#policies.get(name)!;
        const numbers = [...new Set(rules)].sort((a, b) => a - b);
        return [
          name,
          { policy, numbers, rules: numbers.map((number) => ruleAt(policy.rules[number]!, place)) },
        ] as const;
      }),
    );
  }
}

const placeId = (provider: string, bucket: string) => JSON.stringify([provider, bucket]);

function ruleAt(rule: WrittenRule, place: ReviewedPlace): WrittenRule {
  return { ...rule, resources: rule.resources.flatMap((selector) => within(selector, place) ?? []) };
}

/** The selector, reduced to the place; undefined where it does not concern it. */
export function within(selector: WrittenSelector, { provider, bucket }: ReviewedPlace): WrittenSelector | undefined {
  if (selector.type !== 'all' && selector.provider !== provider) return undefined;
  if ('bucket' in selector) return selector.bucket === bucket ? selector : undefined;
  return bucket === undefined ? { type: 'provider', provider } : { type: 'bucket', provider, bucket };
}
