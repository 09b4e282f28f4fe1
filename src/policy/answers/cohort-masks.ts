import { ATOMIC_ACTIONS, type ActionMask } from '../model/action.ts';
import { addTo } from '../model/add-to.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import type { Cell } from './cells.ts';
import type { Cohort } from './cohorts.ts';

export const EVERY_ACTION: ActionMask = (1 << ATOMIC_ACTIONS.length) - 1;
/** The admin role as an additional bit. It is kept in the mask of the widest cell. */
export const ADMIN: ActionMask = 1 << ATOMIC_ACTIONS.length;

export const BEFORE = 0;
export const AFTER = 1;

export type Changed = { readonly gained: ActionMask; readonly lost: ActionMask };

/** Offsets into `masks`. Each cohort has four entries for the current cell: allowed and denied actions before the change, then after it. */
const ALLOWED = 0;
const DENIED = 1;

/** What each cohort may do in the current cell, before the change and after it. */
export class CohortMasks {
  /** Cohorts that are a local user in one definition only, so that their groups count in the other one only. */
  readonly halfLocal: readonly number[];
  /** The cohorts that some rule of the current cell affects: first `halfLocal`, then the others in the order in which the enclosing cells added them. */
  readonly active: number[] = [];
  readonly #cohorts: readonly Cohort[];
  readonly #masks: Int32Array;
  readonly #isActive: Uint8Array;
  readonly #byPolicy = new Map<string, number[]>();

  constructor(cohorts: readonly Cohort[], definitions: readonly PolicySetDefinition[]) {
    this.#cohorts = cohorts;
    this.#masks = new Int32Array(4 * cohorts.length);
    this.#isActive = new Uint8Array(cohorts.length);
    this.halfLocal = cohorts.flatMap(({ isLocal }, i) => (isLocal[BEFORE] === isLocal[AFTER] ? [] : [i]));
    for (const cohort of this.halfLocal) this.#activate(cohort);
    for (const [i, { policies, isAdmin }] of cohorts.entries()) {
      for (const side of [BEFORE, AFTER]) {
        const { enabled } = definitions[side]!;
        if (enabled) for (const name of policies[side]!) addTo(this.#byPolicy, name, i);
        this.#add(i, side, ALLOWED, (enabled ? 0 : EVERY_ACTION) | (isAdmin[side]! ? ADMIN : 0), []);
      }
    }
  }

  /** Enters a cell from its parent. @returns a function that leaves it again. */
  enter({ clauses }: Cell): () => void {
    const active = this.active.length;
    const changed: number[] = [];
    for (const { effect, actions, decision } of clauses) {
      const policy = decision.rule!.policy;
      for (const cohort of this.#byPolicy.get(policy) ?? [])
        this.#add(cohort, Number(policy[0]), effect === 'allow' ? ALLOWED : DENIED, actions, changed);
    }
    return () => {
      for (let i = changed.length - 2; i >= 0; i -= 2) this.#masks[changed[i]!] = changed[i + 1]!;
      for (const cohort of this.active.splice(active)) this.#isActive[cohort] = 0;
    };
  }

  /** What changes for a person of one cohort, or of two. */
  change(cohort: number, other?: number): Changed {
    const [before, after] = [this.allowed(BEFORE, cohort, other), this.allowed(AFTER, cohort, other)];
    return { gained: after & ~before, lost: before & ~after };
  }

  allowed(side: number, cohort: number, other?: number): ActionMask {
    const at = 4 * cohort + 2 * side;
    const [allowed, denied] = [this.#masks[at]!, this.#masks[at + DENIED]!];
    if (other === undefined || this.#cohorts[cohort]!.isLocal[side] === true) return allowed & ~denied;
    if (this.#cohorts[other]!.isLocal[side] === true) return this.allowed(side, other);
    const beside = 4 * other + 2 * side;
    return (allowed | this.#masks[beside]!) & ~(denied | this.#masks[beside + DENIED]!);
  }

  /** The actions that are denied to a cohort in one definition only. */
  deniedOnce(cohort: number): ActionMask {
    return this.#masks[4 * cohort + DENIED]! ^ this.#masks[4 * cohort + 2 + DENIED]!;
  }

  #add(cohort: number, side: number, which: number, actions: ActionMask, changed: number[]): void {
    const at = 4 * cohort + 2 * side + which;
    const mask = this.#masks[at]!;
    if ((mask | actions) === mask) return;
    changed.push(at, mask);
    this.#masks[at] = mask | actions;
    this.#activate(cohort);
  }

  #activate(cohort: number): void {
    if (this.#isActive[cohort] === 1) return;
    this.#isActive[cohort] = 1;
    this.active.push(cohort);
  }
}
