import type { RuleRef } from './rule.ts';

/** The answer to "may this be done?", with its reason and the rule that decided. */
export type Decision = {
  readonly allowed: boolean;
  readonly reason: 'allowed' | 'no_matching_allow' | 'explicit_deny';
  /** The rule that decided; undefined when no rule matched. */
  readonly rule: RuleRef | undefined;
};

/** The default decision: no rule matches, so the action is denied. */
export const NO_MATCHING_ALLOW: Decision = Object.freeze({
  allowed: false,
  reason: 'no_matching_allow',
  rule: undefined,
});
