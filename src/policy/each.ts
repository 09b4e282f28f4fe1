import { prefixFault } from './name.ts';
import type { EachSelector, Selector, WrittenSelector } from './resource.ts';
import type { Effect, Policy, WrittenPolicy } from './rule.ts';

/** What of a person a selector with `each` is about. `subject` is undefined where it does not count: the person is of another issuer than the configured one. */
export type Claims = { readonly subject: string | undefined; readonly groups: readonly string[] };

/**
 * Whether a claim can be a folder's name: one segment of a path, which no storage takes for the way to another one.
 *
 * It is compared exactly, like all names: letter case counts, and so does the form in which an accent is written.
 */
export function isSafeSegment(claim: string): boolean {
  return claim !== '' && claim !== '.' && claim !== '..' && claim.isWellFormed() && !/[/\p{Cc}]/u.test(claim);
}

export function isEach(selector: WrittenSelector): selector is EachSelector {
  return selector.type === 'prefix' && selector.each !== undefined;
}

/**
 * What a selector is about for one person.
 *
 * A claim that is no safe segment has no folder: an allow gives nothing for it. A deny then covers the whole prefix, because whoever
 * wrote it meant something to be closed there, and the claim does not say what.
 */
export function resolveSelector(selector: WrittenSelector, effect: Effect, { subject, groups }: Claims): Selector[] {
  if (!isEach(selector)) return [selector];
  const { each, ...place } = selector;
  const folders = (each === 'subject' ? [subject] : groups).flatMap((claim): string[] => {
    if (claim === undefined || !isSafeSegment(claim)) return effect === 'deny' ? [place.prefix] : [];
    const folder = `${place.prefix}${claim}/`;
    return prefixFault(folder, 'keep') === undefined ? [folder] : [];
  });
  return [...new Set(folders)].map((prefix) => ({ ...place, prefix }));
}

/** The policy as it is for one person. Rules keep their places. */
export function resolvePolicy(policy: WrittenPolicy, claims: Claims): Policy {
  return withSelectors(policy, (selector, effect) => resolveSelector(selector, effect, claims));
}

/** What the policy is to everybody. */
export function commonPart(policy: WrittenPolicy): Policy {
  return withSelectors(policy, (selector) => (isEach(selector) ? [] : [selector]));
}

/** The rest of it: only what is about each person. */
export function ownPart(policy: WrittenPolicy): WrittenPolicy {
  return withSelectors(policy, (selector) => (isEach(selector) ? [selector] : []));
}

/** Which claims decide what the policy is for a person. */
export function claimsIn(policies: readonly WrittenPolicy[]): ReadonlySet<EachSelector['each']> {
  return new Set(policies.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources.filter(isEach).map(({ each }) => each))));
}

function withSelectors<To extends WrittenSelector>(policy: WrittenPolicy, change: (selector: WrittenSelector, effect: Effect) => readonly To[]) {
  return { ...policy, rules: policy.rules.map((rule) => ({ ...rule, resources: rule.resources.flatMap((selector) => change(selector, rule.effect)) })) };
}
