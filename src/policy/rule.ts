import type { AtomicAction } from './action.ts';
import type { Selector, WrittenSelector } from './resource.ts';

export type Effect = 'allow' | 'deny';

/** A normalized rule: every policy, built-in, written or imported, compiles to these. */
export type Rule = RuleAbout<Selector>;

/** A normalized rule whose selectors may depend on who asks. */
export type WrittenRule = RuleAbout<WrittenSelector>;

type RuleAbout<Resource> = {
  readonly effect: Effect;
  readonly actions: readonly AtomicAction[];
  readonly resources: readonly Resource[];
};

export type PolicySource = 'built-in' | 'config' | 'iam';

/** A named list of normalized rules. */
export type Policy = { readonly name: string; readonly source: PolicySource; readonly rules: readonly Rule[] };

/** The same as it was written. */
export type WrittenPolicy = { readonly name: string; readonly source: PolicySource; readonly rules: readonly WrittenRule[] };

/** Where a decision comes from: the `rule`-th rule (from 0) of the policy `policy`. */
export type RuleRef = { readonly policy: string; readonly rule: number };
