import { ATOMIC_ACTIONS, maskOf, type ActionMask } from '../model/action.ts';
import { addTo } from '../model/add-to.ts';
import { cellsOf, isAskedIn, resourceIn, type Cell } from './cells.ts';
import { decide } from '../index/decide.ts';
import { compileGrants, type Grants } from '../index/grants.ts';
import { holderId, type Holder } from '../index/holder.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import { Regions, type Region } from './region.ts';
import { kindsOf, TooManyCombinations, type Kind, type Kinds } from './diff-kinds.ts';
import type { Policy } from '../model/rule.ts';

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
  const kinds = kindsOf(before, after);
  const cells = cellsOf(compileGrants(kinds.policies));
  const comparison = new Comparison(kinds, [before, after]);
  const regions = new Regions(cells);
  comparison.compare(cells);
  return [...comparison.found.values()].map(({ who, at, gained, lost }) => ({
    who,
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
type Found = {
  readonly who: readonly (readonly Holder[])[];
  readonly at: number[];
  readonly gained: ActionMask[];
  readonly lost: ActionMask[];
};

type Changed = { readonly gained: ActionMask; readonly lost: ActionMask };

/** The current cell, its index, and the actions that are compared in it. */
type Looked = { readonly cell: Cell; readonly at: number; readonly asked: ActionMask };

/** Offsets into `masks`. Each kind has four entries for the current cell: allowed and denied actions before the change, then after it. */
const ALLOWED = 0;
const DENIED = 1;

/** Greater than the number of holders. The product of two numbers is still exact. */
const MOST_HOLDERS = 2 ** 26;

class Comparison {
  readonly found = new Map<string, Found>();
  readonly #kinds: readonly Kind[];
  readonly #masks: Int32Array;
  /** The kinds that some rule of the current cell affects: first `#halfLocal`, then the others in the order in which the enclosing cells added them. */
  readonly #active: number[] = [];
  readonly #isActive: Uint8Array;
  readonly #byPolicy = new Map<string, number[]>();
  /** Kinds that are a local user in one definition only, so that their groups count in the other one only. */
  readonly #halfLocal: readonly number[];
  readonly #parts: readonly (readonly number[])[];
  /** The numbers of each kind's first holder and of its companion. */
  readonly #numbers: readonly (readonly number[])[];
  /** The kinds with a companion, by the numbers of the two holders. */
  readonly #combined: ReadonlyMap<number, number>;
  readonly #persons: Together;
  readonly #enabled: readonly boolean[];

  constructor({ kinds, heldTogether }: Kinds, definitions: readonly PolicySetDefinition[]) {
    this.#kinds = kinds;
    this.#persons = new Together(heldTogether);
    this.#enabled = definitions.map(({ enabled }) => enabled);
    const numbers = new Map<string, number>();
    const numberOf = (holder: Holder): number => {
      const id = holderId(holder);
      const number = numbers.get(id) ?? numbers.size;
      numbers.set(id, number);
      return number;
    };
    this.#numbers = kinds.map(({ holders, with: companion }) =>
      [...holders.slice(0, 1), ...(companion === undefined ? [] : [companion])].map(numberOf),
    );
    this.#combined = new Map(
      kinds.flatMap(({ holders, with: companion }, i) =>
        companion === undefined
          ? []
          : holders.map((holder) => [numberOf(holder) * MOST_HOLDERS + numberOf(companion), i] as const),
      ),
    );
    const alone = new Map(
      kinds.flatMap((kind, i) =>
        kind.with === undefined ? kind.holders.map((holder) => [holderId(holder), i] as const) : [],
      ),
    );
    this.#parts = kinds.map(({ holders: [holder], with: companion }) =>
      companion === undefined ? [] : [holder!, companion].flatMap((one) => alone.get(holderId(one)) ?? []),
    );
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
      if (asked !== 0) this.#look({ cell, at: i, asked });
    }
  }

  /** @returns a function that undoes the change to `#masks` and `#active`. */
  #enter({ clauses }: Cell): () => void {
    const active = this.#active.length;
    const changed: number[] = [];
    for (const { effect, actions, decision } of clauses) {
      const policy = decision.rule!.policy;
      for (const kind of this.#byPolicy.get(policy) ?? [])
        this.#add(kind, Number(policy[0]), effect === 'allow' ? ALLOWED : DENIED, actions, changed);
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

  #look(place: Looked): void {
    const { asked } = place;
    const undenied = new Set(this.#halfLocal);
    for (const kind of this.#active) {
      const known = this.#partsOf(kind).map((part) => this.#change(part));
      this.#tell([kind], place, withoutAll(this.#change(kind), known));
      if (((this.#masks[4 * kind + DENIED]! ^ this.#masks[4 * kind + 2 + DENIED]!) & asked) !== 0) undenied.add(kind);
    }
    for (const one of undenied) {
      for (const other of this.#active) {
        const isTwice = undenied.has(other) && other < one;
        if (!isTwice && this.#canMeet(one, other)) this.#lookAtBoth(one, other, place);
      }
    }
  }

  /** Reports what changes for people with both kinds, but with neither kind alone. */
  #lookAtBoth(one: number, other: number, place: Looked): void {
    const change = this.#change(one, other);
    if (((change.gained | change.lost) & place.asked) === 0) return;
    const [ones, others] = [
      [one, ...this.#partsOf(one)],
      [other, ...this.#partsOf(other)],
    ];
    let left = withoutAll(
      change,
      [...ones, ...others].map((part) => this.#change(part)),
    );
    if (((left.gained | left.lost) & place.asked) === 0) return;
    left = withoutAll(
      left,
      this.#combinedIn(one, other).map((part) => this.#change(part)),
    );
    left = this.#together(left, one, other, place);
    for (const a of ones) {
      for (const b of others) {
        if (((left.gained | left.lost) & place.asked) === 0) return;
        if ((a !== one || b !== other) && this.#canMeet(a, b))
          left = withoutAll(left, [this.#together(shared(left, this.#change(a, b)), a, b, place)]);
      }
    }
    this.#tell([one, other], place, left);
  }

  /** The kinds with a companion that consist of two holders of these kinds. */
  #combinedIn(one: number, other: number): number[] {
    if (this.#combined.size === 0) return [];
    const holders = [...this.#numbers[one]!, ...this.#numbers[other]!];
    const kinds: number[] = [];
    for (const a of holders) {
      for (const b of holders) {
        const kind = a === b ? undefined : this.#combined.get(a * MOST_HOLDERS + b);
        if (kind !== undefined) kinds.push(kind);
      }
    }
    return kinds;
  }

  /** What of the change is right for one person with both kinds. With `each`, the claims of one kind also decide what the policies of the other mean. */
  #together(change: Changed, one: number, other: number, { cell, asked }: Looked): Changed {
    const usesEach = [one, other].some((kind) => this.#kinds[kind]!.usesEach);
    if (!usesEach || ((change.gained | change.lost) & asked) === 0) return change;
    const holders = this.#holdersOf([one, other]);
    const [before, after] = [BEFORE, AFTER].map(
      (side) =>
        (this.#enabled[side]! ? this.#persons.allowed(side, holders, cell) : EVERY_ACTION) |
        (this.#allowed(side, one, other) & ADMIN),
    ) as [ActionMask, ActionMask];
    return shared(change, { gained: after & ~before, lost: before & ~after });
  }

  /** A holder of each kind, and their companions, without duplicates. */
  #holdersOf(kinds: readonly number[]): Holder[] {
    const holders = kinds.flatMap((kind) => [this.#kinds[kind]!.holders[0]!, this.#kinds[kind]!.with ?? []].flat());
    return [...new Map(holders.map((holder) => [holderId(holder), holder])).values()];
  }

  #change(kind: number, other?: number): Changed {
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
    const isPair =
      one !== other &&
      a.holders.length > 0 &&
      b.holders.length > 0 &&
      (a.isGroup || b.isGroup || (a.with !== undefined && b.with !== undefined && a.subject === b.subject));
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

  #tell(kinds: readonly number[], { at, asked }: Looked, change: Changed): void {
    const [gained, lost] = [change.gained & asked, change.lost & asked];
    if ((gained | lost) === 0) return;
    const sorted = kinds.toSorted((a, b) => a - b);
    const isTogether = sorted.length > 1 && sorted.some((kind) => this.#kinds[kind]!.usesEach);
    // With `each`, several pairs may consist of the same holders.
    const id = isTogether ? this.#holdersOf(sorted).map(holderId).sort().join(' ') : sorted.join(' ');
    let found = this.found.get(id);
    if (found === undefined) this.found.set(id, (found = { who: this.#who(sorted), at: [], gained: [], lost: [] }));
    if (found.at.at(-1) === at) {
      found.gained.push(found.gained.pop()! | gained);
      found.lost.push(found.lost.pop()! | lost);
      return;
    }
    found.at.push(at);
    found.gained.push(gained);
    found.lost.push(lost);
  }

  #who(kinds: readonly number[]): (readonly Holder[])[] {
    const lists = kinds.flatMap((kind) => {
      const { holders, with: companion } = this.#kinds[kind]!;
      return holders.length === 0 ? [] : [holders, ...(companion === undefined ? [] : [[companion]])];
    });
    return [...new Map(lists.map((list) => [JSON.stringify(list.map(holderId)), list])).values()];
  }
}

/** What one person may do who is or has several holders, computed policy by policy. */
class Together {
  readonly #heldTogether: Kinds['heldTogether'];
  readonly #held = new Map<string, ReturnType<Kinds['heldTogether']>>();
  readonly #grants = new Map<Policy, Grants>();

  constructor(heldTogether: Kinds['heldTogether']) {
    this.#heldTogether = heldTogether;
  }

  allowed(side: number, holders: readonly Holder[], cell: Cell): ActionMask {
    const id = holders.map(holderId).join(' ');
    const held = this.#held.get(id) ?? this.#heldTogether(holders);
    this.#held.set(id, held);
    const decided = held[side]!.map((policy) => this.#decided(policy, cell));
    return (
      decided.reduce((mask, { allowed }) => mask | allowed, 0) & ~decided.reduce((mask, { denied }) => mask | denied, 0)
    );
  }

  #decided(policy: Policy, cell: Cell): { readonly allowed: ActionMask; readonly denied: ActionMask } {
    const grants = this.#grants.get(policy) ?? compileGrants([policy]);
    this.#grants.set(policy, grants);
    const said = { allowed: 0, denied: 0 };
    for (const action of ATOMIC_ACTIONS) {
      if (!isAskedIn(cell, action)) continue;
      const { allowed, reason } = decide(grants, action, resourceIn(cell, action));
      if (allowed) said.allowed |= maskOf(action);
      else if (reason === 'explicit_deny') said.denied |= maskOf(action);
    }
    return said;
  }
}

function shared(one: Changed, other: Changed): Changed {
  return { gained: one.gained & other.gained, lost: one.lost & other.lost };
}

function withoutAll({ gained, lost }: Changed, known: readonly Changed[]): Changed {
  return known.reduce((left, one) => ({ gained: left.gained & ~one.gained, lost: left.lost & ~one.lost }), {
    gained,
    lost,
  });
}
