import type { AtomicAction } from './action.ts';
import { commonPart, isEach, isSafeSegment } from './each.ts';
import { explain } from './explain.ts';
import { compileGrants, type Grants } from './grants.ts';
import { holdersOf, type Way } from './holder.ts';
import type { PolicySetDefinition } from './policy-set.ts';
import { covers, joinPlaces, placeOf, sharedPlace, widestFirst, type Place } from './place.ts';
import type { EachSelector, KeysScope, Resource, WrittenSelector } from './resource.ts';
import type { RuleRef, WrittenRule } from './rule.ts';

/** Something that was allowed. */
export type Use = {
  readonly action: AtomicAction;
  /** What it was done to; a prefix stands for anything beneath it. */
  readonly on: Resource | KeysScope;
  readonly person: { readonly issuer: string; readonly subject: string };
  /** The rule of the definition that allowed it; undefined where any rule may have that the person may hold. */
  readonly rule: RuleRef | undefined;
  /** Milliseconds since the epoch; undefined for what nobody did, and that has to stay possible. */
  readonly time: number | undefined;
  /** Whether it is one more use: false for one that began, and whose end is told separately. */
  readonly counts: boolean;
};

/** How an allow rule was used. */
export type RuleUsage = {
  readonly rule: RuleRef;
  readonly written: WrittenRule;
  /** Each binding and each local user that gives it. */
  readonly by: readonly Way[];
  readonly count: number;
  /** Milliseconds since the epoch; undefined when it was not used. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly people: number;
  /** There were more people than are counted. */
  readonly morePeople: boolean;
  /** By action: the narrowest place that holds all use of each selector of the rule, in their order; undefined for one that was not used. */
  readonly places: ReadonlyMap<AtomicAction, readonly (Place | undefined)[]>;
  /** It is given to people by name alone, and none of them did anything, allowed or not. */
  readonly isIdle: boolean;
};

/** Of each rule so many people are told apart. */
const MAX_PEOPLE = 100;

type Draft = Pick<RuleUsage, 'rule' | 'written' | 'by'> & {
  /** The places of the selectors, the widest first. */
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
 * Each use counts for the rule that decided it, and there for the widest selector that covers it. Where that rule is not known it counts for
 * every rule that may have decided: each that covers it, and that the person may hold. Nobody knows a person's groups of then, so everybody but
 * a local user may hold what any group is given. So what was used stays allowed as long as each rule keeps the places of its own use.
 *
 * Memory grows with the rules and not with the uses.
 */
export class Usage {
  readonly #drafts: readonly Draft[];
  readonly #byRule = new Map<string, Draft>();
  readonly #grants: Grants;
  readonly #own: readonly { readonly draft: Draft; readonly at: number; readonly selector: EachSelector }[];
  readonly #holders = new Map<string, { readonly subjects: Set<string>; isOfGroup: boolean }>();
  /** People whom the definition names, and who did nothing so far. */
  readonly #idle: Set<string>;
  readonly #localUsers: ReadonlySet<string>;
  readonly #issuer: string | undefined;

  constructor(definition: PolicySetDefinition) {
    const { policies, localUsers, issuer } = definition;
    const ways = this.#hold(definition);
    this.#issuer = issuer;
    this.#idle = new Set([...this.#holders.values()].flatMap(({ subjects }) => [...subjects]));
    this.#localUsers = new Set(localUsers.map(personId));
    this.#drafts = policies.flatMap(({ name, rules }) =>
      rules.flatMap((written, rule) => (written.effect === 'allow' ? [{ rule: { policy: name, rule }, written, by: ways.get(name) ?? [] }] : [])),
    ).map((one) => ({ ...one, widestFirst: widestFirst(one.written.resources), count: 0, first: Infinity, last: -Infinity, people: new Set<string>(), morePeople: false, places: new Map() }));
    for (const draft of this.#drafts) this.#byRule.set(ruleId(draft.rule), draft);
    this.#grants = compileGrants(policies.map(commonPart));
    this.#own = this.#drafts.flatMap((draft) => draft.written.resources.flatMap((selector, at) => (isEach(selector) ? [{ draft, at, selector }] : [])));
  }

  /** Notes that somebody did something, whatever it was. */
  saw(person: Use['person']): void {
    if (this.#idle.size > 0) this.#idle.delete(personId(person));
  }

  take(use: Use): void {
    const { on } = use;
    if (!('kind' in on)) {
      this.#noteBeneath(use, on);
      return;
    }
    const named = use.rule === undefined ? undefined : this.#byRule.get(ruleId(use.rule));
    const covering = named === undefined ? [] : named.widestFirst.filter((at) => this.#covers(named.written.resources[at]!, on, use.person));
    if (named !== undefined && covering.length > 0 && named.written.actions.includes(use.action)) this.#noteOne(named, covering, use, on);
    else this.#noteAll(use, on);
  }

  rules(): RuleUsage[] {
    return this.#drafts.map(({ rule, written, by, count, first, last, people, morePeople, places }) => ({
      rule, written, by, count, people: people.size, morePeople, places,
      first: first === Infinity ? undefined : first,
      last: last === -Infinity ? undefined : last,
      isIdle: by.length > 0 && places.size === 0 && this.#isIdle(rule.policy),
    }));
  }

  #isIdle(policy: string): boolean {
    const holders = this.#holders.get(policy);
    return holders !== undefined && !holders.isOfGroup && [...holders.subjects].every((id) => this.#idle.has(id));
  }

  /** Every rule that covers the resource and that the person may hold. */
  #noteAll(use: Use, resource: Resource): void {
    const covering = new Map<Draft, number[]>();
    const add = (draft: Draft, at: number): void => {
      if (this.#mayHold(use, draft.rule.policy)) covering.set(draft, [...(covering.get(draft) ?? []), at]);
    };
    for (const { rule, effect, selector } of explain(this.#grants, use.action, resource).matches) {
      const draft = effect === 'allow' ? this.#byRule.get(ruleId(rule))! : undefined;
      if (draft !== undefined) add(draft, draft.written.resources.indexOf(selector));
    }
    for (const { draft, at, selector } of this.#own) if (draft.written.actions.includes(use.action) && this.#covers(selector, resource, use.person)) add(draft, at);
    for (const [draft, selectors] of covering) this.#noteOne(draft, selectors, use, resource);
  }

  /** Notes the use for one selector of those that cover it. Which groups somebody had is not known: where only selectors with `each: group` cover it, for all of them. */
  #noteOne(draft: Draft, covering: readonly number[], use: Use, resource: Resource): void {
    const sure = covering.find((at) => !isOfGroup(draft.written.resources[at]!));
    const [first, ...more] = sure === undefined ? covering : [sure];
    this.#note(draft, first!, placeOf(resource), use);
    for (const at of more) this.#note(draft, at, placeOf(resource), { ...use, counts: false });
  }

  /** Every selector that has something in common with the place. */
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
      if (draft.people.size < MAX_PEOPLE) draft.people.add(personId(person));
      else if (!draft.people.has(personId(person))) draft.morePeople = true;
    }
    const places = draft.places.get(action) ?? draft.written.resources.map(() => undefined);
    draft.places.set(action, places);
    const before = places[at];
    places[at] = before === undefined ? place : joinPlaces(before, place);
  }

  #covers(selector: WrittenSelector, resource: Resource, person: Use['person']): boolean {
    if (!isEach(selector)) return covers(selector, resource);
    if (resource.kind !== 'object' || resource.provider !== selector.provider || resource.bucket !== selector.bucket || !resource.key.startsWith(selector.prefix)) return false;
    const end = resource.key.indexOf('/', selector.prefix.length);
    const claim = resource.key.slice(selector.prefix.length, Math.max(end, selector.prefix.length));
    if (!isSafeSegment(claim) || selector.each === 'group') return isSafeSegment(claim);
    return claim === person.subject && (this.#issuer === undefined || this.#issuer === person.issuer);
  }

  #mayHold({ person }: Use, policy: string): boolean {
    const holders = this.#holders.get(policy);
    if (holders === undefined) return false;
    const id = personId(person);
    return holders.subjects.has(id) || (holders.isOfGroup && !this.#localUsers.has(id));
  }

  /** @returns by policy, the ways in which somebody holds it. */
  #hold(definition: PolicySetDefinition): Map<string, Way[]> {
    const ways = new Map<string, Map<string, Way>>();
    for (const { holder, ways: held } of holdersOf(definition).values()) {
      for (const way of held) {
        const known = this.#holders.get(way.policy) ?? { subjects: new Set<string>(), isOfGroup: false };
        this.#holders.set(way.policy, known);
        if ('group' in holder) known.isOfGroup = true;
        else known.subjects.add(personId(holder));
        const of = ways.get(way.policy) ?? new Map<string, Way>();
        ways.set(way.policy, of.set(`${way.from} ${way.place} ${way.role ?? ''}`, way));
      }
    }
    return new Map([...ways].map(([policy, of]) => [policy, [...of.values()]]));
  }
}

function isOfGroup(selector: WrittenSelector): boolean {
  return isEach(selector) && selector.each === 'group';
}

function ruleId({ policy, rule }: RuleRef): string {
  return `${rule} ${policy}`;
}

function personId({ issuer, subject }: Use['person']): string {
  return JSON.stringify([issuer, subject]);
}
