import { atomicActions, type ActionName } from './action.ts';
import type { Selector } from './resource.ts';
import type { Rule } from './rule.ts';

/** The most that a key may do. A scope cannot deny, and grants nothing that the key's creator lacks. */
export type KeyScope = { readonly rules: readonly KeyScopeRule[] };
export type KeyScopeRule = { readonly actions: readonly ActionName[]; readonly resources: readonly Selector[] };

/** The scope as normalized `allow` rules. */
export function scopeRules(scope: KeyScope): Rule[] {
  return scope.rules.map(({ actions, resources }) => ({
    effect: 'allow',
    actions: [...new Set(actions.flatMap(atomicActions))],
    resources,
  }));
}
