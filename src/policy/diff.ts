import { ATOMIC_ACTIONS, type ActionMask } from './action.ts';
import { addTo } from './add-to.ts';
import { cellsOf, type Cell } from './cells.ts';
import { compileGrants } from './grants.ts';
import { holderId, type Holder } from './holder.ts';
import type { PolicySetDefinition } from './policy-set.ts';
import { Regions, type Region } from './region.ts';
import { kindsOf, SOMEBODY, TooManyCombinations, type Kind } from './diff-kinds.ts';

/** Actions in regions that holders gain or lose. `admin`: whether they gain or lose the admin role. */
export type Gain = { readonly admin: boolean; readonly regions: readonly Region[] };

/**
 * A change for every person who has a holder from each list of `who`. An empty `who` means signed-in people whom no binding names.
 * With two lists, the change needs a holder from both; neither alone causes it.
 */
export type Change = { readonly who: readonly (readonly Holder[])[]; readonly gained: Gain; readonly lost: Gain };

const EVERY_ACTION: ActionMask = (1 << ATOMIC_ACTIONS.length) - 1;
/** The admin role as an additional bit. It is kept in the mask of the widest cell. */
const ADMIN: ActionMask = 1 << ATOMIC_ACTIONS.length;

/**
 * Compares two definitions: which access changes, and for whom. The result is exact: it covers every resource that a request can name, whether it exists or
 * not.
 *
 * People are distinguished by their bindings. When a person gains an action, they gain it through one binding alone, or through two: one that allows it, and
 * one whose deny or local user the other definition no longer has. So the result lists the changes of each binding alone, and for each pair the changes that
 * need both. With `each`, a binding counts together with the subject or group whose folder is meant; `SOMEBODY` and `SOME_GROUP` stand for subjects and groups
 * that nothing names.
 *
 * @throws {TooManyCombinations}
 */
export function diffPolicies(before: PolicySetDefinition, after: PolicySetDefinition): Change[] {
  const { kinds, policies } = kindsOf(before, after);
  const cells = cellsOf(compileGrants(policies));
  const comparison = new Comparison(kinds, [before, after]);
  const regions = new Regions(cells);
  comparison.compare(cells);
  return [...comparison.found.values()].map(({ who, at, gained, lost }) => ({
    who: who.flatMap(({ holders, with: companion }) => (holders.length === 0 ? [] : [holders, ...(companion === undefined ? [] : [[companion]])])),
    gained: gainOf(regions, at, gained),
    lost: gainOf(regions, at, lost),
  }));
}

/** Like {@link diffPolicies}, but returns undefined when there are too many combinations. */
export function diffUnlessTooMany(before: PolicySetDefinition, after: PolicySetDefinition): Change[] | undefined {
  try {
    return diffPolicies(before, after);
  } catch (error) {
    if (error instanceof TooManyCombinations) return undefined;
    throw error;
  }
}

function gainOf(regions: Regions, at: readonly number[], masks: readonly ActionMask[]): Gain {
  return { admin: at[0] === 0 && (masks[0]! & ADMIN) !== 0, regions: regions.of(at, masks) };
}

const BEFORE = 0;
const AFTER = 1;

/** The cells in which access changes for `who`, with the actions gained and lost in each. */
type Found = { readonly who: readonly Kind[]; readonly at: number[]; readonly gained: ActionMask[]; readonly lost: ActionMask[] };

/** Offsets into `masks`. Each kind has four entries for the current cell: allowed and denied actions before the change, then after it. */
const ALLOWED = 0;
const DENIED = 1;

class Comparison {
  readonly found = new Map<number, Found>();
  readonly #kinds: readonly Kind[];
  readonly #masks: Int32Array;
  /** The kinds that some rule of the current cell affects: first `#halfLocal`, then the others in the order in which the enclosing cells added them. */
  readonly #active: number[] = [];
  readonly #isActive: Uint8Array;
  readonly #byPolicy = new Map<string, number[]>();
  /** Kinds that are a local user in one definition only, so that their groups count in the other one only. */
  readonly #halfLocal: readonly number[];
  readonly #parts: readonly (readonly number[])[];

  constructor(kinds: readonly Kind[], definitions: readonly PolicySetDefinition[]) {
    this.#kinds = kinds;
    const alone = new Map(kinds.flatMap((kind, i) => (kind.with === undefined ? kind.holders.map((holder) => [holderId(holder), i] as const) : [])));
    this.#parts = kinds.map(({ holders: [holder], with: companion }) => (companion === undefined ? [] : [holder!, companion].flatMap((one) => alone.get(holderId(one)) ?? [])));
    this.#masks = new Int32Array(4 * kinds.length);
    this.#isActive = new Uint8Array(kinds.length);
    this.#halfLocal = kinds.flatMap(({ isLocal }, i) => (isLocal[BEFORE] === isLocal[AFTER] ? [] : [i]));
    for (const kind of this.#halfLocal) this.#activate(kind);
    for (const [i, { policies, isAdmin }] of kinds.entries()) {
      for (const side of [BEFORE, AFTER]) {
        const { enabled } = definitions[side]!;
        if (enabled) for (const name of policies[side]!) addTo(this.#byPolicy, name, i);
        this.#add(i, side, ALLOWED, (enabled ? 0 : EVERY_ACTION) | (isAdmin[side]! ? ADMIN : 0), []);
      }
    }
  }

  compare(cells: readonly Cell[]): void {
    const open: { readonly cell: number; readonly undo: () => void }[] = [];
    for (const [i, cell] of cells.entries()) {
      while (open.length > 0 && open.at(-1)!.cell !== cell.parent) open.pop()!.undo();
      open.push({ cell: i, undo: this.#enter(cell) });
      const asked = i === 0 ? cell.asked | ADMIN : cell.asked;
      if (asked !== 0) this.#look(i, asked);
    }
  }

  /** @returns a function that undoes the change to `#masks` and `#active`. */
  #enter({ clauses }: Cell): () => void {
    const active = this.#active.length;
    const changed: number[] = [];
    for (const { effect, actions, decision } of clauses) {
      const policy = decision.rule!.policy;
      for (const kind of this.#byPolicy.get(policy) ?? []) this.#add(kind, Number(policy[0]), effect === 'allow' ? ALLOWED : DENIED, actions, changed);
    }
    return () => {
      for (let i = changed.length - 2; i >= 0; i -= 2) this.#masks[changed[i]!] = changed[i + 1]!;
      for (const kind of this.#active.splice(active)) this.#isActive[kind] = 0;
    };
  }

  #add(kind: number, side: number, which: number, actions: ActionMask, changed: number[]): void {
    const at = 4 * kind + 2 * side + which;
    const mask = this.#masks[at]!;
    if ((mask | actions) === mask) return;
    changed.push(at, mask);
    this.#masks[at] = mask | actions;
    this.#activate(kind);
  }

  #activate(kind: number): void {
    if (this.#isActive[kind] === 1) return;
    this.#isActive[kind] = 1;
    this.#active.push(kind);
  }

  #look(cell: number, asked: ActionMask): void {
    const undenied = new Set(this.#halfLocal);
    for (const kind of this.#active) {
      const { gained, lost } = this.#change(kind);
      const known = this.#partsOf(kind).map((part) => this.#change(part));
      this.#tell([kind], cell, without(gained, known.map((one) => one.gained)) & asked, without(lost, known.map((one) => one.lost)) & asked);
      if (((this.#masks[4 * kind + DENIED]! ^ this.#masks[4 * kind + 2 + DENIED]!) & asked) !== 0) undenied.add(kind);
    }
    for (const one of undenied) {
      for (const other of this.#active) {
        const isTwice = undenied.has(other) && other < one;
        if (!isTwice && this.#canMeet(one, other)) this.#lookAtBoth(one, other, cell, asked);
      }
    }
  }

  /** Reports what changes for people with both kinds, but with neither kind alone. */
  #lookAtBoth(one: number, other: number, cell: number, asked: ActionMask): void {
    const { gained, lost } = this.#change(one, other);
    if (((gained | lost) & asked) === 0) return;
    const [ones, others] = [[one, ...this.#partsOf(one)], [other, ...this.#partsOf(other)]];
    const known = [...ones, ...others].map((part) => this.#change(part));
    for (const a of ones) for (const b of others) if ((a !== one || b !== other) && this.#canMeet(a, b)) known.push(this.#change(a, b));
    this.#tell([one, other], cell, without(gained, known.map((change) => change.gained)) & asked, without(lost, known.map((change) => change.lost)) & asked);
  }

  #change(kind: number, other?: number): { readonly gained: ActionMask; readonly lost: ActionMask } {
    const [before, after] = [this.#allowed(BEFORE, kind, other), this.#allowed(AFTER, kind, other)];
    return { gained: after & ~before, lost: before & ~after };
  }

  /** The two single kinds that a kind with a companion consists of; empty for other kinds. */
  #partsOf(kind: number): readonly number[] {
    return this.#parts[kind]!;
  }

  /** Whether one person can have both kinds. A person has one subject, and a local user has no groups. */
  #canMeet(one: number, other: number): boolean {
    const [a, b] = [this.#kinds[one]!, this.#kinds[other]!];
    const isOne = a.subject === b.subject || (a.subject === undefined ? b.subject !== SOMEBODY || a.isGroup : b.subject === undefined && (a.subject !== SOMEBODY || b.isGroup));
    const isPair = one !== other && a.holders.length > 0 && b.holders.length > 0 && isOne && (a.isGroup || b.isGroup || (a.with !== undefined && b.with !== undefined));
    return isPair && [a, b].every(({ isLocal: [before, after] }) => !(before && after));
  }

  #allowed(side: number, kind: number, other?: number): ActionMask {
    const at = 4 * kind + 2 * side;
    const [allowed, denied] = [this.#masks[at]!, this.#masks[at + DENIED]!];
    if (other === undefined || this.#kinds[kind]!.isLocal[side] === true) return allowed & ~denied;
    if (this.#kinds[other]!.isLocal[side] === true) return this.#allowed(side, other);
    const beside = 4 * other + 2 * side;
    return (allowed | this.#masks[beside]!) & ~(denied | this.#masks[beside + DENIED]!);
  }

  #tell(who: readonly number[], cell: number, gained: ActionMask, lost: ActionMask): void {
    if ((gained | lost) === 0) return;
    const [one, other = one] = who.toSorted((a, b) => a - b) as [number, number?];
    const id = one * this.#kinds.length + other;
    let found = this.found.get(id);
    if (found === undefined) this.found.set(id, (found = { who: [...new Set([one, other])].map((kind) => this.#kinds[kind]!), at: [], gained: [], lost: [] }));
    found.at.push(cell);
    found.gained.push(gained);
    found.lost.push(lost);
  }
}

function without(mask: ActionMask, known: readonly ActionMask[]): ActionMask {
  return known.reduce((left, one) => left & ~one, mask);
}
