import { ATOMIC_ACTIONS, type ActionMask } from './action.ts';
import type { Clause } from './clause.ts';
import { NO_MATCHING_ALLOW, type Decision } from './decision.ts';

/** The decisions on every action at one place: entry `i` is about `ATOMIC_ACTIONS[i]`. */
export type Verdicts = readonly Decision[];

/** The verdicts before any rule: every action is denied. */
export const NO_VERDICT_YET: Verdicts = ATOMIC_ACTIONS.map(() => NO_MATCHING_ALLOW);

/**
 * The verdicts of a place: those of the enclosing place, changed by the clauses that name this place.
 *
 * A deny is final. An allow only applies where nothing has decided yet. So among rules with the same effect, the decision names the one with the widest
 * selector, and among equally wide ones the one written first.
 */
export function judge(around: Verdicts, clauses: readonly Clause[]): Verdicts {
  if (clauses.length === 0) return around;
  const verdicts = [...around];
  for (const { actions, effect, decision } of clauses) {
    for (let i = 0; i < verdicts.length; i++) {
      if ((actions & (1 << i)) !== 0 && overrides(effect, verdicts[i]!)) verdicts[i] = decision;
    }
  }
  return verdicts;
}

function overrides(effect: Clause['effect'], standing: Decision): boolean {
  return effect === 'deny' ? standing.reason !== 'explicit_deny' : standing.reason === 'no_matching_allow';
}

/** The actions that the verdicts allow. */
export function allowedBy(verdicts: Verdicts): ActionMask {
  let mask = 0;
  for (let i = 0; i < verdicts.length; i++) if (verdicts[i]!.allowed) mask |= 1 << i;
  return mask;
}
