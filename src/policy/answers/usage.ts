import type { AtomicAction } from '../model/action.ts';
import { subjectId, type Subject } from '../model/binding.ts';
import { claimOf, commonPart, isEach, isSafeSegment } from '../model/each.ts';
import { explain } from './explain.ts';
import { mergedPlaces } from '../index/decide-request.ts';
import { compileGrants, type Grants } from '../index/grants.ts';
import { principalsOf, type Assignment } from '../index/principal.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import { covers, joinPlaces, placeOf, sharedPlace, widestFirst, type Place } from '../model/place.ts';
import type { EachSelector, KeysScope, Resource, WrittenSelector } from '../model/resource.ts';
import { ruleId, type RuleRef, type WrittenRule } from '../model/rule.ts';

/** One use of an action that was allowed. */
export type Use = {
  readonly action: AtomicAction;
  /** The resource of the action; a prefix stands for any key beneath it. */
  readonly on: Resource | KeysScope;
  readonly person: Subject;
  /** The rule of the definition that allowed it; undefined when it may be any rule that the person may hold. */
  readonly rule: RuleRef | undefined;
  /** Milliseconds since the epoch; undefined for an action that nobody did but that must stay possible. */
  readonly time: number | undefined;
  /** Whether it adds to the count of uses; false for a beginning whose end is recorded separately. */
  readonly counts: boolean;
};

/** How an allow rule was used. */
export type RuleUsage = {
  readonly rule: RuleRef;
  readonly written: WrittenRule;
  /** The bindings and local users that give the rule. */
  readonly by: readonly Assignment[];
  readonly count: number;
  /** Milliseconds since the epoch; undefined when it was not used. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly people: number;
  /** Whether there were more people than are counted. */
  readonly morePeople: boolean;
  /** By action, for each selector of the rule in order: the narrowest place that contains all its uses; undefined for an unused selector. */
  readonly places: ReadonlyMap<AtomicAction, readonly (Place | undefined)[]>;
  /** Whether the rule is given only to named people, and none of them did anything, allowed or not. */
  readonly isIdle: boolean;
};

/** How many people are counted for each rule. */
const MAX_PEOPLE = 100;

type Draft = Pick<RuleUsage, 'rule' | 'written' | 'by'> & {
  /** The indexes of the rule's selectors, the widest selector first. */
  readonly widestFirst: readonly number[];
  count: number;
  first: number;
  last: number;
  readonly people: Set<string>;
  morePeople: boolean;
  readonly places: Map<AtomicAction, (Place | undefined)[]>;
};

/**
 * Counts how the allow rules of a definition are used.
 *
 * Each use counts for the rule that decided it, and within the rule for the widest selector that covers it. When that rule is unknown, the use counts for every
 * rule that may have decided: each that covers it and that the person may hold. The person's groups at that time are unknown, so anybody but a local user may
 * hold what any group is given. So everything that was used stays allowed as long as each rule keeps the places of its own use.
 *
 * Memory grows with the rules, not with the uses.
 */
export class Usage {
  readonly #drafts: readonly Draft[];
  readonly #byRule = new Map<string, Draft>();
  readonly #grants: Grants;
  readonly #own: readonly { readonly draft: Draft; readonly at: number; readonly selector: EachSelector }[];
  readonly #holders = new Map<string, { readonly subjects: Set<string>; isOfGroup: boolean }>();
  /** People whom the definition names and who have done nothing so far. */
  readonly #idle: Set<string>;
  readonly #localUsers: ReadonlySet<string>;
  readonly #issuer: string | undefined;

  constructor(definition: PolicySetDefinition) {
    const { policies, localUsers, issuer } = definition;
    const assignments = this.#hold(definition);
    this.#issuer = issuer;
    this.#idle = new Set([...this.#holders.values()].flatMap(({ subjects }) => [...subjects]));
    this.#localUsers = new Set(localUsers.map(subjectId));
    this.#drafts = policies
      .flatMap(({ name, rules }) =>
        rules.flatMap((written, rule) =>
          written.effect === 'allow'
            ? [{ rule: { policy: name, rule }, written, by: assignments.get(name) ?? [] }]
            : [],
        ),
      )
      .map((one) => ({
        ...one,
        widestFirst: widestFirst(one.written.resources),
        count: 0,
        first: Infinity,
        last: -Infinity,
        people: new Set<string>(),
        morePeople: false,
        places: new Map(),
      }));
    for (const draft of this.#drafts) this.#byRule.set(ruleId(draft.rule), draft);
    this.#grants = compileGrants(policies.map(commonPart));
    this.#own = this.#drafts.flatMap((draft) =>
      draft.written.resources.flatMap((selector, at) => (isEach(selector) ? [{ draft, at, selector }] : [])),
    );
  }

  /** Notes that a person did something, allowed or not. */
  saw(person: Use['person']): void {
    if (this.#idle.size > 0) this.#idle.delete(subjectId(person));
  }

  take(use: Use): void {
    this.#takeOne(use);
    // A request needs an answer for each name of a key. The rules of the other answers are not recorded.
    for (const on of mergedPlaces(use.action, use.on)) this.#takeOne({ ...use, on, rule: undefined, counts: false });
  }

  #takeOne(use: Use): void {
    const { on } = use;
    if (!('kind' in on)) {
      this.#noteBeneath(use, on);
      return;
    }
    const named = use.rule === undefined ? undefined : this.#byRule.get(ruleId(use.rule));
    const covering =
      named === undefined
        ? []
        : named.widestFirst.filter((at) => this.#covers(named.written.resources[at]!, on, use.person));
    if (named !== undefined && covering.length > 0 && named.written.actions.includes(use.action))
      this.#noteOne(named, covering, use, on);
    else this.#noteAll(use, on);
  }

  rules(): RuleUsage[] {
    return this.#drafts.map(({ rule, written, by, count, first, last, people, morePeople, places }) => ({
      rule,
      written,
      by,
      count,
      people: people.size,
      morePeople,
      places,
      first: first === Infinity ? undefined : first,
      last: last === -Infinity ? undefined : last,
      isIdle: by.length > 0 && places.size === 0 && this.#isIdle(rule.policy),
    }));
  }

  #isIdle(policy: string): boolean {
    const holders = this.#holders.get(policy);
    return holders !== undefined && !holders.isOfGroup && [...holders.subjects].every((id) => this.#idle.has(id));
  }

  /** Counts the use for every rule that covers the resource and that the person may hold. */
  #noteAll(use: Use, resource: Resource): void {
    const covering = new Map<Draft, number[]>();
    const add = (draft: Draft, at: number): void => {
      if (this.#mayHold(use, draft.rule.policy)) covering.set(draft, [...(covering.get(draft) ?? []), at]);
    };
    for (const { rule, effect, selector } of explain(this.#grants, use.action, resource).matches) {
      const draft = effect === 'allow' ? this.#byRule.get(ruleId(rule))! : undefined;
      if (draft !== undefined) add(draft, draft.written.resources.indexOf(selector));
    }
    for (const { draft, at, selector } of this.#own)
      if (draft.written.actions.includes(use.action) && this.#covers(selector, resource, use.person)) add(draft, at);
    for (const [draft, selectors] of covering) this.#noteOne(draft, selectors, use, resource);
  }

  /**
   * Counts the use for one of the selectors that cover it. The person's groups are unknown, so if only selectors with `each: group` cover it, their places all
   * include it.
   */
  #noteOne(draft: Draft, covering: readonly number[], use: Use, resource: Resource): void {
    const sure = covering.find((at) => !isOfGroup(draft.written.resources[at]!));
    const [first, ...more] = sure === undefined ? covering : [sure];
    this.#note(draft, first!, placeOf(resource), use);
    for (const at of more) this.#note(draft, at, placeOf(resource), { ...use, counts: false });
  }

  /** Counts the use for every rule that overlaps the place and adds the overlap to each selector. */
  #noteBeneath(use: Use, place: KeysScope): void {
    for (const draft of this.#drafts) {
      if (!draft.written.actions.includes(use.action) || !this.#mayHold(use, draft.rule.policy)) continue;
      let counts = use.counts;
      for (const [at, selector] of draft.written.resources.entries()) {
        const shared = sharedPlace(selector, place);
        if (shared === undefined) continue;
        this.#note(draft, at, shared, { ...use, counts });
        counts = false;
      }
    }
  }

  #note(draft: Draft, at: number, place: Place, { action, person, time, counts }: Use): void {
    if (counts) draft.count += 1;
    if (time !== undefined) {
      draft.first = Math.min(draft.first, time);
      draft.last = Math.max(draft.last, time);
      if (draft.people.size < MAX_PEOPLE) draft.people.add(subjectId(person));
      else if (!draft.people.has(subjectId(person))) draft.morePeople = true;
    }
    const places = draft.places.get(action) ?? draft.written.resources.map(() => undefined);
    draft.places.set(action, places);
    const before = places[at];
    places[at] = before === undefined ? place : joinPlaces(before, place);
  }

  #covers(selector: WrittenSelector, resource: Resource, person: Use['person']): boolean {
    if (!isEach(selector)) return covers(selector, resource);
    const claim = resource.kind === 'object' ? claimOf(selector, resource) : undefined;
    if (claim === undefined || !isSafeSegment(claim)) return false;
    if (selector.each === 'group') return true;
    return claim === person.subject && (this.#issuer === undefined || this.#issuer === person.issuer);
  }

  #mayHold({ person }: Use, policy: string): boolean {
    const holders = this.#holders.get(policy);
    if (holders === undefined) return false;
    const id = subjectId(person);
    return holders.subjects.has(id) || (holders.isOfGroup && !this.#localUsers.has(id));
  }

  /** @returns for each policy, the assignments by which holders get it. */
  #hold(definition: PolicySetDefinition): Map<string, Assignment[]> {
    const assignments = new Map<string, Map<string, Assignment>>();
    for (const { holder, assignments: held } of principalsOf(definition).values()) {
      for (const way of held) {
        const known = this.#holders.get(way.policy) ?? { subjects: new Set<string>(), isOfGroup: false };
        this.#holders.set(way.policy, known);
        if ('group' in holder) known.isOfGroup = true;
        else known.subjects.add(subjectId(holder));
        const of = assignments.get(way.policy) ?? new Map<string, Assignment>();
        assignments.set(way.policy, of.set(`${way.from} ${way.place} ${way.role ?? ''}`, way));
      }
    }
    return new Map([...assignments].map(([policy, of]) => [policy, [...of.values()]]));
  }
}

function isOfGroup(selector: WrittenSelector): boolean {
  return isEach(selector) && selector.each === 'group';
}
