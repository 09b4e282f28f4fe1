import type { ActionMask } from '../model/action.ts';
import { cellsOf, type Cell } from './cells.ts';
import { compileGrants } from '../index/grants.ts';
import { principalId, type Principal } from '../index/principal.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import { Regions, type Region } from './region.ts';
import { cohortsOf, TooManyCombinations, type Cohorts } from './cohorts.ts';
import { ADMIN, AFTER, BEFORE, EVERY_ACTION, CohortMasks, type Changed } from './cohort-masks.ts';
import { CohortPairs } from './cohort-pairs.ts';
import { CombinedDecisions } from './combined-decisions.ts';

/** Actions in regions that holders gain or lose. `admin`: whether they gain or lose the admin role. */
export type Gain = { readonly admin: boolean; readonly regions: readonly Region[] };

/**
 * A change for every person who has a holder from each list of `who`. An empty `who` means signed-in people whom no binding names.
 * With two lists, the change needs a holder from both; neither alone causes it.
 */
export type Change = { readonly who: readonly (readonly Principal[])[]; readonly gained: Gain; readonly lost: Gain };

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
  const cohorts = cohortsOf(before, after);
  const cells = cellsOf(compileGrants(cohorts.policies));
  const comparison = new Comparison(cohorts, [before, after]);
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

/** The cells in which access changes for `who`, with the actions gained and lost in each. */
type Found = {
  readonly who: readonly (readonly Principal[])[];
  readonly at: number[];
  readonly gained: ActionMask[];
  readonly lost: ActionMask[];
};

/** The current cell, its index, and the actions that are compared in it. */
type Looked = { readonly cell: Cell; readonly at: number; readonly asked: ActionMask };

class Comparison {
  readonly found = new Map<string, Found>();
  readonly #masks: CohortMasks;
  readonly #pairs: CohortPairs;
  readonly #persons: CombinedDecisions;
  readonly #enabled: readonly boolean[];

  constructor({ cohorts, heldTogether }: Cohorts, definitions: readonly PolicySetDefinition[]) {
    this.#masks = new CohortMasks(cohorts, definitions);
    this.#pairs = new CohortPairs(cohorts);
    this.#persons = new CombinedDecisions(heldTogether);
    this.#enabled = definitions.map(({ enabled }) => enabled);
  }

  compare(cells: readonly Cell[]): void {
    const open: { readonly cell: number; readonly undo: () => void }[] = [];
    for (const [i, cell] of cells.entries()) {
      while (open.length > 0 && open.at(-1)!.cell !== cell.parent) open.pop()!.undo();
      open.push({ cell: i, undo: this.#masks.enter(cell) });
      const asked = i === 0 ? cell.asked | ADMIN : cell.asked;
      if (asked !== 0) this.#look({ cell, at: i, asked });
    }
  }

  #look(place: Looked): void {
    const { asked } = place;
    const undenied = new Set(this.#masks.halfLocal);
    for (const cohort of this.#masks.active) {
      const known = this.#pairs.partsOf(cohort).map((part) => this.#masks.change(part));
      this.#tell([cohort], place, withoutAll(this.#masks.change(cohort), known));
      if ((this.#masks.deniedOnce(cohort) & asked) !== 0) undenied.add(cohort);
    }
    for (const one of undenied) {
      for (const other of this.#masks.active) {
        const isTwice = undenied.has(other) && other < one;
        if (!isTwice && this.#pairs.canMeet(one, other)) this.#comparePair(one, other, place);
      }
    }
  }

  /** Reports what changes for people with both cohorts, but with neither cohort alone. */
  #comparePair(one: number, other: number, place: Looked): void {
    const change = this.#masks.change(one, other);
    if (((change.gained | change.lost) & place.asked) === 0) return;
    const [ones, others] = [
      [one, ...this.#pairs.partsOf(one)],
      [other, ...this.#pairs.partsOf(other)],
    ];
    let left = withoutAll(
      change,
      [...ones, ...others].map((part) => this.#masks.change(part)),
    );
    if (((left.gained | left.lost) & place.asked) === 0) return;
    left = withoutAll(
      left,
      this.#pairs.combinedIn(one, other).map((part) => this.#masks.change(part)),
    );
    left = this.#together(left, one, other, place);
    for (const a of ones) {
      for (const b of others) {
        if (((left.gained | left.lost) & place.asked) === 0) return;
        if ((a !== one || b !== other) && this.#pairs.canMeet(a, b))
          left = withoutAll(left, [this.#together(shared(left, this.#masks.change(a, b)), a, b, place)]);
      }
    }
    this.#tell([one, other], place, left);
  }

  /** What of the change is right for one person with both cohorts. With `each`, the claims of one cohort also decide what the policies of the other mean. */
  #together(change: Changed, one: number, other: number, { cell, asked }: Looked): Changed {
    if (!this.#pairs.useEach([one, other]) || ((change.gained | change.lost) & asked) === 0) return change;
    const holders = this.#pairs.holdersOf([one, other]);
    const [before, after] = [BEFORE, AFTER].map(
      (side) =>
        (this.#enabled[side]! ? this.#persons.allowed(side, holders, cell) : EVERY_ACTION) |
        (this.#masks.allowed(side, one, other) & ADMIN),
    ) as [ActionMask, ActionMask];
    return shared(change, { gained: after & ~before, lost: before & ~after });
  }

  #tell(cohorts: readonly number[], { at, asked }: Looked, change: Changed): void {
    const [gained, lost] = [change.gained & asked, change.lost & asked];
    if ((gained | lost) === 0) return;
    const sorted = cohorts.toSorted((a, b) => a - b);
    const isTogether = sorted.length > 1 && this.#pairs.useEach(sorted);
    // With `each`, several pairs may consist of the same holders.
    const id = isTogether ? this.#pairs.holdersOf(sorted).map(principalId).sort().join(' ') : sorted.join(' ');
    let found = this.found.get(id);
    if (found === undefined)
      this.found.set(id, (found = { who: this.#pairs.who(sorted), at: [], gained: [], lost: [] }));
    if (found.at.at(-1) === at) {
      found.gained.push(found.gained.pop()! | gained);
      found.lost.push(found.lost.pop()! | lost);
      return;
    }
    found.at.push(at);
    found.gained.push(gained);
    found.lost.push(lost);
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
