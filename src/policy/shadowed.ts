import { ATOMIC_ACTIONS, type ActionMask } from './action.ts';
import { cellsOf, type Cell } from './cells.ts';
import type { Clause } from './clause.ts';
import type { Decision } from './decision.ts';
import { commonPart, isEach } from './each.ts';
import { compileGrants } from './grants.ts';
import { holdersOf } from './holder.ts';
import type { PolicySetDefinition } from './policy-set.ts';
import type { Effect, Policy, RuleRef } from './rule.ts';

/** A rule that others make superfluous wherever it could decide: an allow that is denied or allowed anyway, or a deny that is denied anyway. `by`: the rules that decide where it stands. */
export type ShadowedRule = { readonly rule: RuleRef; readonly effect: Effect; readonly by: readonly (RuleRef & { readonly effect: Effect })[] };

/** `complete` is false when only the rules of each policy were held against each other, because people hold too many of them together. */
export type ShadowedRules = { readonly rules: readonly ShadowedRule[]; readonly complete: boolean };

/** How many rules are looked at in all; some seconds. A rule that is held in two sets of policies counts twice. */
const MAX_HELD_RULES = 100_000;

/** Rules of which each makes another one superfluous: after so many rounds the rest is left. */
const MAX_ROUNDS = 10;

/**
 * Rules without which nobody could do more or less, whatever bindings they have together. All of them can be removed at once. Exact: of
 * the rules that are left each decides some request alone, for somebody. Rules about each person (`each`) are never among them.
 */
export function shadowedRules(definition: PolicySetDefinition): ShadowedRules {
  // What is about each person makes nothing superfluous for everybody.
  const policies = new Map(definition.policies.map((policy) => [policy.name, commonPart(policy)]));
  const isOwn = new Set(definition.policies.flatMap(({ name, rules }) => rules.flatMap(({ resources }, rule) => (resources.some(isEach) ? [`${rule} ${name}`] : []))));
  const held = heldSets(definition).map((names) => names.map((name) => policies.get(name)!));
  const complete = held.reduce((sum, set) => sum + ruleCount(set), 0) <= MAX_HELD_RULES;
  // What others of the same policy make superfluous is so for everybody who holds it.
  const sets = complete ? held : [...new Set(held.flat())].map((policy) => [policy]);
  const search = new Search(sets);
  for (let round = 0; round < MAX_ROUNDS && search.remove(); round++);
  return { rules: search.removed().filter(({ rule: { policy, rule } }) => !isOwn.has(`${rule} ${policy}`)), complete };
}

/** The policies that a group or a person holds, each set once. */
function heldSets(definition: PolicySetDefinition): string[][] {
  const sets = [...holdersOf(definition).values()].map(({ ways }) => [...new Set(ways.map(({ policy }) => policy))].sort());
  return [...new Map(sets.map((names) => [JSON.stringify(names), names])).values()];
}

function ruleCount(policies: readonly Policy[]): number {
  return policies.reduce((sum, { rules }) => sum + rules.length, 0);
}

/** Rules are known by numbers, in the order of the sets. */
class Search {
  readonly #ids = new Map<string, number>();
  readonly #decisions: Decision[] = [];
  readonly #sets: readonly CellRules[];
  readonly #removed = new Map<number, Set<number>>();

  constructor(sets: readonly (readonly Policy[])[]) {
    this.#sets = sets.map((policies) => cellsOf(compileGrants(policies)).map((cell) => ({ cell, rules: cell.clauses.map((clause) => this.#idOf(clause)) })));
  }

  #idOf({ decision }: Clause): number {
    const { policy, rule } = decision.rule!;
    const text = `${rule} ${policy}`;
    const id = this.#ids.get(text) ?? this.#decisions.push(decision) - 1;
    this.#ids.set(text, id);
    return id;
  }

  /** Removes what decides nothing once the rules that nothing can replace come first. @returns whether there was anything. */
  remove(): boolean {
    const size = this.#decisions.length;
    const [needed, asked, deciding] = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];
    for (const set of this.#sets) new Walk(set, size, this.#removed).findNeeded(needed, asked);
    const by = new Map<number, Set<number>>();
    const rank = (id: number) => (needed[id] === 1 ? id : id + size);
    for (const set of this.#sets) new Walk(set, size, this.#removed).findDeciding(rank, deciding, (id) => needed[id] === 0 && asked[id] === 1, by);
    const found = this.#decisions.flatMap((_, id) => (asked[id] === 1 && deciding[id] === 0 && !this.#removed.has(id) ? [id] : []));
    for (const id of found) this.#removed.set(id, by.get(id) ?? new Set());
    return found.length > 0;
  }

  removed(): ShadowedRule[] {
    const ruleOf = (id: number) => ({ ...this.#decisions[id]!.rule!, effect: this.#decisions[id]!.allowed ? ('allow' as const) : ('deny' as const) });
    return [...this.#removed].map(([id, by]) => {
      const { effect, ...rule } = ruleOf(id);
      return { rule, effect, by: [...by].map(ruleOf) };
    });
  }
}

/** The cells of a set of policies, each with the rules of its clauses. */
type CellRules = readonly { readonly cell: Cell; readonly rules: readonly number[] }[];

type Ranked = { readonly rank: number; readonly id: number };

/** A way through all cells, with the rules that cover the present one: how many, and which of them comes first, by effect and action. */
class Walk {
  readonly #cells: CellRules;
  readonly #removed: ReadonlyMap<number, unknown>;
  /** How often a rule covers the present cell: several of its selectors may. */
  readonly #times: Uint32Array;
  readonly #counts = { allow: new Int32Array(ATOMIC_ACTIONS.length), deny: new Int32Array(ATOMIC_ACTIONS.length) };
  /** The sum of the numbers of these rules: of one rule alone it is its number. */
  readonly #sums = { allow: new Float64Array(ATOMIC_ACTIONS.length), deny: new Float64Array(ATOMIC_ACTIONS.length) };
  readonly #first = { allow: new Array<Ranked | undefined>(ATOMIC_ACTIONS.length), deny: new Array<Ranked | undefined>(ATOMIC_ACTIONS.length) };

  constructor(cells: CellRules, size: number, removed: ReadonlyMap<number, unknown>) {
    this.#cells = cells;
    this.#removed = removed;
    this.#times = new Uint32Array(size);
  }

  /** Marks the rules that some request is decided by alone, and those that any request can ask. */
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

  /** Marks the rules that decide where those with the lowest rank do. `by` gets what decides at the selectors of some of the others. */
  findDeciding(rankOf: (id: number) => number, deciding: Uint8Array, isDoubted: (id: number) => boolean, by: Map<number, Set<number>>): void {
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

  /** Goes through all cells, each before those beneath it. @param enter - gives what takes it back. */
  #each(enter: (id: number, clause: Clause) => () => void, look: (cell: Cell, rules: readonly number[]) => void): void {
    const open: { readonly at: number; readonly undo: readonly (() => void)[] }[] = [];
    for (const [at, { cell, rules }] of this.#cells.entries()) {
      while (open.length > 0 && open.at(-1)!.at !== cell.parent) for (const undo of open.pop()!.undo.toReversed()) undo();
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
    const before = bitsOf(actions).flatMap((action): [number, Ranked | undefined][] => ((first[action]?.rank ?? Infinity) > ranked.rank ? [[action, first[action]]] : []));
    for (const [action] of before) first[action] = ranked;
    return () => {
      for (const [action, one] of before) first[action] = one;
    };
  }
}

const BITS = Array.from({ length: 1 << ATOMIC_ACTIONS.length }, (_, mask) => ATOMIC_ACTIONS.flatMap((_action, i) => ((mask & (1 << i)) === 0 ? [] : [i])));

/** The positions in {@link ATOMIC_ACTIONS} of the actions. */
function bitsOf(mask: ActionMask): readonly number[] {
  return BITS[mask]!;
}
