import { ATOMIC_ACTIONS, type ActionMask } from '../model/action.ts';
import { cellsOf, type Cell } from './cells.ts';
import type { Clause } from '../model/clause.ts';
import type { Decision } from '../model/decision.ts';
import { commonPart, isEach } from '../model/each.ts';
import { compileGrants } from '../index/grants.ts';
import { principalsOf } from '../index/principal.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import { ruleId, type Effect, type Policy, type RuleRef } from '../model/rule.ts';

/**
 * A rule that other rules make superfluous: an allow whose resources are all denied or allowed by others, or a deny whose resources are all denied by others.
 * `by`: the rules that decide in its place.
 */
export type ShadowedRule = {
  readonly rule: RuleRef;
  readonly effect: Effect;
  readonly by: readonly (RuleRef & { readonly effect: Effect })[];
};

/** `complete` is false when rules were compared only with rules of the same policy, because holders have too many rules in total. */
export type ShadowedRules = { readonly rules: readonly ShadowedRule[]; readonly complete: boolean };

/** How many rules are examined in total, which takes some seconds. A rule that is held in two sets of policies counts twice. */
const MAX_HELD_RULES = 100_000;

/** How many rounds the search makes. Removing a rule can make further rules superfluous; after the last round these are not found. */
const MAX_ROUNDS = 10;

/**
 * Finds rules whose removal changes nothing for anybody, whatever bindings they combine. All of them can be removed at once. Exact: each of the remaining rules
 * alone decides some request for somebody. Rules with `each` are never among them.
 */
export function shadowedRules(definition: PolicySetDefinition): ShadowedRules {
  // Selectors with `each` differ between people, so they make no rule superfluous for everybody.
  const policies = new Map(definition.policies.map((policy) => [policy.name, commonPart(policy)]));
  const isOwn = new Set(
    definition.policies.flatMap(({ name, rules }) =>
      rules.flatMap(({ resources }, rule) => (resources.some(isEach) ? [ruleId({ policy: name, rule })] : [])),
    ),
  );
  const held = heldSets(definition).map((names) => names.map((name) => policies.get(name)!));
  const complete = held.reduce((sum, set) => sum + ruleCount(set), 0) <= MAX_HELD_RULES;
  // A rule that others of its policy make superfluous is superfluous for everybody who holds the policy.
  const sets = complete ? held : [...new Set(held.flat())].map((policy) => [policy]);
  const search = new Search(sets, (rule) => isOwn.has(ruleId(rule)));
  for (let round = 0; round < MAX_ROUNDS && search.remove(); round++);
  return { rules: search.removed(), complete };
}

/** The sets of policies that groups and people hold, without duplicates. */
function heldSets(definition: PolicySetDefinition): string[][] {
  const sets = [...principalsOf(definition).values()].map(({ assignments }) =>
    [...new Set(assignments.map(({ policy }) => policy))].sort(),
  );
  return [...new Map(sets.map((names) => [JSON.stringify(names), names])).values()];
}

function ruleCount(policies: readonly Policy[]): number {
  return policies.reduce((sum, { rules }) => sum + rules.length, 0);
}

/** Searches for superfluous rules. Rules are identified by numbers, in the order of the sets. */
class Search {
  readonly #ids = new Map<string, number>();
  readonly #decisions: Decision[] = [];
  readonly #isKept: (rule: RuleRef) => boolean;
  readonly #sets: readonly CellRules[];
  readonly #removed = new Map<number, Set<number>>();

  /** @param isKept - whether a rule stays in any case. What others and such a rule allow or deny alike is then left to that rule. */
  constructor(sets: readonly (readonly Policy[])[], isKept: (rule: RuleRef) => boolean) {
    this.#isKept = isKept;
    this.#sets = sets.map((policies) =>
      cellsOf(compileGrants(policies)).map((cell) => ({
        cell,
        rules: cell.clauses.map((clause) => this.#idOf(clause)),
      })),
    );
  }

  #idOf({ decision }: Clause): number {
    const text = ruleId(decision.rule!);
    const id = this.#ids.get(text) ?? this.#decisions.push(decision) - 1;
    this.#ids.set(text, id);
    return id;
  }

  /**
   * Removes the rules that decide nothing when the rules that nothing can replace take precedence.
   *
   * @returns whether it removed any.
   */
  remove(): boolean {
    const size = this.#decisions.length;
    const [needed, asked, deciding] = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];
    for (const set of this.#sets) new Walk(set, size, this.#removed).findNeeded(needed, asked);
    const kept = this.#decisions.map(({ rule }) => this.#isKept(rule!));
    for (const [id, stays] of kept.entries()) if (stays) needed[id] = 1;
    const by = new Map<number, Set<number>>();
    const rank = (id: number) => (needed[id] === 1 ? id : id + size);
    for (const set of this.#sets)
      new Walk(set, size, this.#removed).findDeciding(rank, deciding, (id) => needed[id] === 0 && asked[id] === 1, by);
    const found = this.#decisions.flatMap((_, id) =>
      asked[id] === 1 && deciding[id] === 0 && !kept[id]! && !this.#removed.has(id) ? [id] : [],
    );
    for (const id of found) this.#removed.set(id, by.get(id) ?? new Set());
    return found.length > 0;
  }

  removed(): ShadowedRule[] {
    const ruleOf = (id: number) => ({
      ...this.#decisions[id]!.rule!,
      effect: this.#decisions[id]!.allowed ? ('allow' as const) : ('deny' as const),
    });
    return [...this.#removed].map(([id, by]) => {
      const { effect, ...rule } = ruleOf(id);
      return { rule, effect, by: [...by].map(ruleOf) };
    });
  }
}

/** The cells of a set of policies, each with the numbers of its clauses' rules. */
type CellRules = readonly { readonly cell: Cell; readonly rules: readonly number[] }[];

type Ranked = { readonly rank: number; readonly id: number };

/** Walks through all cells and keeps track of the rules that cover the current cell: their count, and the one of the lowest rank, by effect and action. */
class Walk {
  readonly #cells: CellRules;
  readonly #removed: ReadonlyMap<number, unknown>;
  /** How many selectors of each rule cover the current cell. */
  readonly #times: Uint32Array;
  readonly #counts = { allow: new Int32Array(ATOMIC_ACTIONS.length), deny: new Int32Array(ATOMIC_ACTIONS.length) };
  /** The sums of the numbers of these rules. With a count of one, the sum is the number of that rule. */
  readonly #sums = { allow: new Float64Array(ATOMIC_ACTIONS.length), deny: new Float64Array(ATOMIC_ACTIONS.length) };
  readonly #first = {
    allow: new Array<Ranked | undefined>(ATOMIC_ACTIONS.length),
    deny: new Array<Ranked | undefined>(ATOMIC_ACTIONS.length),
  };

  constructor(cells: CellRules, size: number, removed: ReadonlyMap<number, unknown>) {
    this.#cells = cells;
    this.#removed = removed;
    this.#times = new Uint32Array(size);
  }

  /** Marks the rules that alone decide some request, and the rules that some request can ask about. */
  findNeeded(needed: Uint8Array, askedAtAll: Uint8Array): void {
    this.#each(
      (id, { effect, actions }) => this.#addTo(id, effect, actions, 1),
      ({ asked, clauses }, rules) => {
        for (const [i, { actions }] of clauses.entries()) if ((actions & asked) !== 0) askedAtAll[rules[i]!] = 1;
        for (const action of bitsOf(asked)) {
          const effect = this.#counts.deny[action]! > 0 ? 'deny' : 'allow';
          if (this.#counts[effect][action] === 1) needed[this.#sums[effect][action]!] = 1;
        }
      },
    );
  }

  /** Marks the rules that decide when rules of a lower rank take precedence. Adds to `by` the rules that decide at the selectors of each doubted rule. */
  findDeciding(
    rankOf: (id: number) => number,
    deciding: Uint8Array,
    isDoubted: (id: number) => boolean,
    by: Map<number, Set<number>>,
  ): void {
    const deciderOf = (action: number) => (this.#first.deny[action] ?? this.#first.allow[action])?.id;
    this.#each(
      (id, { effect, actions }) => this.#putFirst({ id, rank: rankOf(id) }, effect, actions),
      ({ asked, clauses }, rules) => {
        for (const action of bitsOf(asked)) {
          const decider = deciderOf(action);
          if (decider !== undefined) deciding[decider] = 1;
        }
        for (const [i, { actions }] of clauses.entries()) {
          const id = rules[i]!;
          if (!isDoubted(id)) continue;
          const deciders = by.get(id) ?? new Set();
          by.set(id, deciders);
          for (const action of bitsOf(actions & asked)) {
            const decider = deciderOf(action);
            if (decider !== undefined && decider !== id) deciders.add(decider);
          }
        }
      },
    );
  }

  /**
   * Visits all cells, each before the cells beneath it.
   *
   * @param enter - returns a function that undoes it.
   */
  #each(enter: (id: number, clause: Clause) => () => void, look: (cell: Cell, rules: readonly number[]) => void): void {
    const open: { readonly at: number; readonly undo: readonly (() => void)[] }[] = [];
    for (const [at, { cell, rules }] of this.#cells.entries()) {
      while (open.length > 0 && open.at(-1)!.at !== cell.parent)
        for (const undo of open.pop()!.undo.toReversed()) undo();
      const undo: (() => void)[] = [];
      for (const [i, clause] of cell.clauses.entries()) {
        const id = rules[i]!;
        if (this.#removed.has(id)) continue;
        if (this.#times[id]!++ === 0) undo.push(enter(id, clause));
        undo.push(() => {
          this.#times[id]!--;
        });
      }
      open.push({ at, undo });
      if (cell.asked !== 0) look(cell, rules);
    }
  }

  #addTo(id: number, effect: Effect, actions: ActionMask, sign: 1 | -1): () => void {
    for (const action of bitsOf(actions)) {
      this.#counts[effect][action]! += sign;
      this.#sums[effect][action]! += sign * id;
    }
    return () => void this.#addTo(id, effect, actions, sign === 1 ? -1 : 1);
  }

  #putFirst(ranked: Ranked, effect: Effect, actions: ActionMask): () => void {
    const first = this.#first[effect];
    const before = bitsOf(actions).flatMap((action): [number, Ranked | undefined][] =>
      (first[action]?.rank ?? Infinity) > ranked.rank ? [[action, first[action]]] : [],
    );
    for (const [action] of before) first[action] = ranked;
    return () => {
      for (const [action, one] of before) first[action] = one;
    };
  }
}

const BITS = Array.from({ length: 1 << ATOMIC_ACTIONS.length }, (_, mask) =>
  ATOMIC_ACTIONS.flatMap((_action, i) => ((mask & (1 << i)) === 0 ? [] : [i])),
);

/** The positions of a mask's actions in {@link ATOMIC_ACTIONS}. */
function bitsOf(mask: ActionMask): readonly number[] {
  return BITS[mask]!;
}
