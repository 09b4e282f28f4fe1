import { prefixFault } from './name.ts';
import type { EachSelector, ObjectResource, Selector, WrittenSelector } from './resource.ts';
import type { Effect, Policy, WrittenPolicy } from './rule.ts';

/** The claims of a person that selectors with `each` use. `subject` is undefined when the person's issuer is not the configured one. */
export type Claims = { readonly subject: string | undefined; readonly groups: readonly string[] };

/**
 * Whether a claim can be the name of a folder: one path segment that no storage resolves to another path.
 *
 * Names are compared exactly: letter case counts, and so does the Unicode form of an accent.
 */
export function isSafeSegment(claim: string): boolean {
  return claim !== '' && claim !== '.' && claim !== '..' && claim.isWellFormed() && !/[/\p{Cc}]/u.test(claim);
}

export function isEach(selector: WrittenSelector): selector is EachSelector {
  return selector.type === 'prefix' && selector.each !== undefined;
}

/** The claim in whose folder a key is. It is undefined when the key does not start with the prefix, and empty when the key is in no folder there. */
export function claimOf(
  { provider, bucket, prefix }: EachSelector,
  on: Omit<ObjectResource, 'kind'>,
): string | undefined {
  if (provider !== on.provider || bucket !== on.bucket || !on.key.startsWith(prefix)) return undefined;
  return on.key.slice(prefix.length, Math.max(on.key.indexOf('/', prefix.length), prefix.length));
}

/**
 * Resolves a selector for one person.
 *
 * A claim that is no safe segment has no folder, so an allow gives nothing for it. A deny then covers the whole prefix, because its author wanted something
 * closed there and the claim does not say what.
 */
function resolveSelector(selector: WrittenSelector, effect: Effect, { subject, groups }: Claims): Selector[] {
  if (!isEach(selector)) return [selector];
  const { each, ...place } = selector;
  const folders = (each === 'subject' ? [subject] : groups).flatMap((claim): string[] => {
    if (claim === undefined || !isSafeSegment(claim)) return effect === 'deny' ? [place.prefix] : [];
    const folder = `${place.prefix}${claim}/`;
    return prefixFault(folder, 'keep') === undefined ? [folder] : [];
  });
  return [...new Set(folders)].map((prefix) => ({ ...place, prefix }));
}

/**
 * Resolves all selectors of a policy for one person. Rules keep their numbers.
 *
 * @example
 * // a rule for { type: 'prefix', provider: 'main', bucket: 'photos', prefix: 'home/', each: 'subject' }
 * resolvePolicy(policy, { subject: 'ada', groups: [] })
 * // the same rule for { type: 'prefix', provider: 'main', bucket: 'photos', prefix: 'home/ada/' }
 */
export function resolvePolicy(policy: WrittenPolicy, claims: Claims): Policy {
  return withSelectors(policy, (selector, effect) => resolveSelector(selector, effect, claims));
}

/** The policy with only the selectors that are the same for everybody. */
export function commonPart(policy: WrittenPolicy): Policy {
  return withSelectors(policy, (selector) => (isEach(selector) ? [] : [selector]));
}

/** The policy with only the selectors that depend on the person (`each`). */
export function ownPart(policy: WrittenPolicy): WrittenPolicy {
  return withSelectors(policy, (selector) => (isEach(selector) ? [selector] : []));
}

/** The claims on which selectors with `each` depend in these policies. */
export function claimsIn(policies: readonly WrittenPolicy[]): ReadonlySet<EachSelector['each']> {
  return new Set(
    policies.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources.filter(isEach).map(({ each }) => each))),
  );
}

function withSelectors<To extends WrittenSelector>(
  policy: WrittenPolicy,
  change: (selector: WrittenSelector, effect: Effect) => readonly To[],
) {
  return {
    ...policy,
    rules: policy.rules.map((rule) => ({
      ...rule,
      resources: rule.resources.flatMap((selector) => change(selector, rule.effect)),
    })),
  };
}
