import type { ActionMask } from './action.ts';
import type { Decision } from './decision.ts';
import type { Selector } from './resource.ts';
import type { Effect } from './rule.ts';

/** One selector of one rule, in compiled form. */
export type Clause = {
  readonly effect: Effect;
  readonly actions: ActionMask;
  readonly selector: Selector;
  /** The answer when this clause decides. All clauses of a rule share one object, so that a decision allocates nothing. */
  readonly decision: Decision;
};
