import type { Policy, RuleRef } from './rule.ts';

/** A fault of a rule that makes a part of it, or all of it, do nothing. */
export type UnmatchableRule = { readonly rule: RuleRef; readonly message: string };

/** The parts of a policy's rules that can never match. */
export function unmatchableRules(policy: Policy): UnmatchableRule[] {
  void policy;
  return [];
}
