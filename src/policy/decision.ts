import type { RuleRef } from './rule.ts';

/** The answer to "may this be done?", and where it comes from. */
export type Decision = {
  readonly allowed: boolean;
  readonly reason: 'allowed' | 'no_matching_allow' | 'explicit_deny';
  /** The rule that decided; undefined when no rule matched. */
  readonly rule: RuleRef | undefined;
};

/** Deny by default: what every action gets until a rule says otherwise. */
export const NO_MATCHING_ALLOW: Decision = Object.freeze({ allowed: false, reason: 'no_matching_allow', rule: undefined });
