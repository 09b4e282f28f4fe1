import type { AtomicAction } from '../model/action.ts';
import { explain, explainUnnamed, type MatchingRule, type Unnamed } from './explain.ts';
import { mergedPlaces } from '../index/decide-request.ts';
import { claimOf, commonPart, isEach, isSafeSegment } from '../model/each.ts';
import { compileGrants, type Grants } from '../index/grants.ts';
import { principalId, membersOf, type Principal, type Assignment } from '../index/principal.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import type { EachSelector, Resource, WrittenSelector } from '../model/resource.ts';

/** A rule that matches for a holder, and each way in which the holder gets its policy. */
export type HeldRule = Omit<MatchingRule, 'selector'> & {
  readonly selector: WrittenSelector;
  readonly by: readonly Assignment[];
};

/** A part of a holder's people: those with a subject, those who also have a group, or those whose subject or group cannot be the name of a folder. */
export type Subset =
  { readonly subject: string } | { readonly group: string } | { readonly unsafe: EachSelector['each'] };

/**
 * A group or a person that some rule concerns at the place. Rules that concern only some people of a group make separate entries. `rules` goes from the widest
 * selector to the narrowest.
 */
export type Entitlement = {
  readonly holder: Principal;
  readonly isLocal: boolean;
  /** Undefined for all people of the holder. */ readonly only: Subset | undefined;
  readonly outcome: 'allowed' | 'denied';
  readonly rules: readonly HeldRule[];
};

/**
 * Who may do something. A person may when one of their entries is `allowed` and none is `denied`; for a local user only entries of that person count.
 *
 * `everybody` is true when policy is off: then all who are signed in may, and no holders are listed.
 */
export type WhoMay = {
  readonly everybody: boolean;
  readonly holders: readonly Entitlement[];
  /** The `from` of the next part of the answer; undefined at its end. */
  readonly next: number | undefined;
};

/**
 * A part of the answer. `from` is the index of a holder in the order of the definition. Holders count towards `limit` even if no entry is returned for them.
 */
export type Part = { readonly from: number; readonly limit: number };

/** A place is a resource, or stands for a bucket or object in it that no rule names more closely. */
export type WhoQuestion = {
  readonly action: AtomicAction;
  readonly place: Resource | Unnamed;
  /** The key or prefix of the place, when storage may take the one that was asked about for it. */
  readonly takenFor?: { readonly key: string } | { readonly prefix: string };
};

/** The questions about a place, one for each name under which the service asks policy. A request needs an answer to each that allows it. */
export function whoQuestions(action: AtomicAction, place: Resource | Unnamed): WhoQuestion[] {
  const others = mergedPlaces(action, place).map((other): WhoQuestion => {
    const takenFor = 'prefix' in other ? { prefix: other.prefix } : 'key' in other ? { key: other.key } : undefined;
    return { action, place: other, ...(takenFor && { takenFor }) };
  });
  return [{ action, place }, ...others];
}

const WHOLE: Part = { from: 0, limit: Infinity };

/**
 * Answers who may do each action at its place.
 *
 * All answers cover the same holders, so that a part of them costs only that part.
 */
export function whoMay(
  definition: PolicySetDefinition,
  questions: readonly WhoQuestion[],
  { from, limit }: Part = WHOLE,
): WhoMay[] {
  if (!definition.enabled) return questions.map(() => ({ everybody: true, holders: [], next: undefined }));
  const index = indexFor(definition);
  const asked = questions.map(({ action, place }) => {
    const { matches: common } =
      'kind' in place ? explain(index.grants, action, place) : explainUnnamed(index.grants, action, place);
    const matches: Match[] = [...common, ...index.ownMatches(action, place)];
    return { matches, holders: index.holding(matches).filter((holder) => holder >= from) };
  });
  // All answers end where the first of them is full.
  const next = asked.reduce((least, { holders }) => Math.min(least, holders[limit] ?? Infinity), Infinity);
  return asked.map(({ matches, holders }) => ({
    everybody: false,
    holders: holders.filter((holder) => holder < next).flatMap((holder) => index.entitled(holder, matches)),
    next: next === Infinity ? undefined : next,
  }));
}

/** A rule that matches at the place: for everybody who holds it, or only for the people that its selector with `each` concerns there. */
type Match = Omit<MatchingRule, 'selector'> & { readonly selector: WrittenSelector; readonly only?: Subset };

type OwnRule = {
  readonly rule: MatchingRule['rule'];
  readonly effect: MatchingRule['effect'];
  readonly actions: readonly AtomicAction[];
  readonly selector: EachSelector;
};

/** What a binding or a local user gives, and to whom. */
type Gift = Pick<Assignment, 'from' | 'place' | 'role'> & {
  readonly policies: ReadonlySet<string>;
  readonly members: readonly number[];
};

/** All policies in one index, and their holders. A holder is identified by its index in the order of the definition. */
class HolderIndex {
  readonly grants: Grants;
  readonly #holders: Principal[] = [];
  readonly #local = new Set<number>();
  readonly #gifts: Gift[] = [];
  /** The gifts of each holder. */
  readonly #given: Gift[][] = [];
  readonly #own: readonly OwnRule[];
  readonly #issuer: string | undefined;

  constructor({ policies, roles, bindings, localUsers, issuer }: PolicySetDefinition) {
    this.#issuer = issuer;
    this.grants = compileGrants(policies.map(commonPart));
    this.#own = policies.flatMap(({ name, rules }) =>
      rules.flatMap(({ effect, actions, resources }, rule) =>
        resources
          .filter(isEach)
          .map((selector): OwnRule => ({ rule: { policy: name, rule }, effect, actions, selector })),
      ),
    );
    const places = new Map<string, number>();
    const placeOf = (holder: Principal): number => {
      const id = principalId(holder);
      const place = places.get(id) ?? this.#holders.push(holder) - 1;
      places.set(id, place);
      return place;
    };
    const policiesOf = new Map(roles.map((role) => [role.name, new Set(role.policies)]));
    for (const [place, binding] of bindings.entries()) {
      const members = membersOf(binding).map(placeOf);
      if ('role' in binding)
        this.#give({
          from: 'binding',
          place,
          role: binding.role,
          policies: policiesOf.get(binding.role) ?? NONE,
          members,
        });
      else this.#give({ from: 'binding', place, role: undefined, policies: new Set(binding.policies), members });
    }
    for (const [place, { issuer, subject, roles: held }] of localUsers.entries()) {
      const member = placeOf({ issuer, subject });
      this.#local.add(member);
      for (const role of held)
        this.#give({ from: 'local user', place, role, policies: policiesOf.get(role) ?? NONE, members: [member] });
    }
  }

  #give(gift: Gift): void {
    this.#gifts.push(gift);
    for (const member of gift.members) (this.#given[member] ??= []).push(gift);
  }

  /**
   * The rules with `each` that match at the place. Each concerns the one person or group whose folder it is; a deny also concerns everybody whose claim cannot
   * be the name of a folder.
   */
  ownMatches(action: AtomicAction, place: Resource | Unnamed): Match[] {
    const key = 'key' in place ? place.key : 'prefix' in place ? place.prefix : undefined;
    if (key === undefined || !('bucket' in place)) return [];
    const on = { ...place, key };
    return this.#own.flatMap(({ rule, effect, actions, selector }): Match[] => {
      const claim = actions.includes(action) ? claimOf(selector, on) : undefined;
      if (claim === undefined) return [];
      const match = { rule, effect, selector };
      const named = isSafeSegment(claim)
        ? [{ ...match, only: selector.each === 'subject' ? { subject: claim } : { group: claim } }]
        : [];
      return effect === 'deny' ? [...named, { ...match, only: { unsafe: selector.each } }] : named;
    });
  }

  /** The holders of a policy of these rules, in order. */
  holding(matches: readonly Match[]): number[] {
    const names = [...new Set(matches.map(({ rule }) => rule.policy))];
    const isHolding = new Uint8Array(this.#holders.length);
    for (const { policies, members } of this.#gifts) {
      if (!names.some((name) => policies.has(name))) continue;
      for (const member of members) isHolding[member] = 1;
    }
    return this.#holders.flatMap((_, holder) => (isHolding[holder] === 1 ? [holder] : []));
  }

  /** The entries for a holder: one for all its people, others for parts of them. */
  entitled(holder: number, matches: readonly Match[]): Entitlement[] {
    const assignments = new Map<string, readonly Assignment[]>();
    const parts = new Map<string, { readonly only: Subset | undefined; readonly rules: HeldRule[] }>();
    for (const { only: meant, ...match } of matches) {
      const { policy } = match.rule;
      const by = assignments.get(policy) ?? this.#assignmentsOf(holder, policy);
      assignments.set(policy, by);
      const only = meant === undefined ? 'all' : this.#among(holder, meant);
      if (by.length === 0 || only === 'none') continue;
      const id = JSON.stringify(only);
      const part = parts.get(id) ?? { only: only === 'all' ? undefined : only, rules: [] };
      parts.set(id, part);
      part.rules.push({ ...match, by });
    }
    return [...parts.values()].map(({ only, rules }) => {
      const outcome = rules.some(({ effect }) => effect === 'deny') ? 'denied' : 'allowed';
      return { holder: this.#holders[holder]!, isLocal: this.#local.has(holder), only, outcome, rules };
    });
  }

  /** Which of a holder's people are meant. A single person is meant or not; the groups of a local user do not count. */
  #among(at: number, only: Subset): Subset | 'all' | 'none' {
    const holder = this.#holders[at]!;
    if ('group' in holder) return 'group' in only && only.group === holder.group ? 'all' : only;
    if ('group' in only || ('unsafe' in only && only.unsafe === 'group')) return this.#local.has(at) ? 'none' : only;
    const subject = this.#issuer === undefined || this.#issuer === holder.issuer ? holder.subject : '';
    return ('subject' in only ? only.subject === subject : !isSafeSegment(subject)) ? 'all' : 'none';
  }

  #assignmentsOf(holder: number, policy: string): Assignment[] {
    const gifts = this.#given[holder]?.filter(({ policies }) => policies.has(policy)) ?? [];
    return gifts.map(({ from, place, role }) => ({ from, place, role, policy }));
  }
}

const NONE: ReadonlySet<string> = new Set();

const indexes = new WeakMap<PolicySetDefinition, HolderIndex>();

/** Builds the index once for each definition. */
function indexFor(definition: PolicySetDefinition): HolderIndex {
  let index = indexes.get(definition);
  if (index === undefined) indexes.set(definition, (index = new HolderIndex(definition)));
  return index;
}
