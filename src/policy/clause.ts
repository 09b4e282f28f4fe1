import type { ActionMask } from './action.ts';
import type { Decision } from './decision.ts';
import type { Selector } from './resource.ts';
import type { Effect } from './rule.ts';

/** One selector of one rule, ready to take part in decisions. */
export type Clause = {
  readonly effect: Effect;
  readonly actions: ActionMask;
  readonly selector: Selector;
  /** What is answered where this clause decides. One object for the whole rule, so that deciding allocates nothing. */
  readonly decision: Decision;
};
