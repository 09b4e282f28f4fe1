import type { AtomicAction } from './action.ts';
import type { Selector, WrittenSelector } from './resource.ts';

export type Effect = 'allow' | 'deny';

/** A normalized rule. Built-in, written and imported policies all compile to these. */
export type Rule = RuleAbout<Selector>;

/** A normalized rule whose selectors may depend on the caller. */
export type WrittenRule = RuleAbout<WrittenSelector>;

type RuleAbout<Resource> = {
  readonly effect: Effect;
  readonly actions: readonly AtomicAction[];
  readonly resources: readonly Resource[];
};

export type PolicySource = 'built-in' | 'config' | 'iam';

/** A named list of normalized rules. */
export type Policy = { readonly name: string; readonly source: PolicySource; readonly rules: readonly Rule[] };

/** A policy whose selectors may depend on the caller. */
export type WrittenPolicy = {
  readonly name: string;
  readonly source: PolicySource;
  readonly rules: readonly WrittenRule[];
};

/** Identifies a rule: number `rule` (from 0) of the policy `policy`. */
export type RuleRef = { readonly policy: string; readonly rule: number };

/** A unique string for a rule. */
export function ruleId({ policy, rule }: RuleRef): string {
  return `${rule} ${policy}`;
}
