import type { AtomicAction } from '../model/action.ts';
import type { Identity } from '../model/identity.ts';
import { scopeRules, type KeyScope } from '../model/key-scope.ts';
import type { Resource } from '../model/resource.ts';
import { compileGrants, type Grants } from '../index/grants.ts';
import type { PolicySet } from '../index/policy-set.ts';
import type { Unnamed } from './explain.ts';
import { explainRequest } from './explain-request.ts';
import { decideRequest } from '../index/decide-request.ts';

/** What decides what a key may do: its creator, as they were when it was made, and its scope. */
export type DecidingKey = { readonly creator: Identity; readonly scope: KeyScope };

/** Tells whether a key may do something: its creator may, and its scope allows it. The place stands for the same as in `whoMay`. */
export function mayOfKey(
  { creator, scope }: DecidingKey,
  policies: Pick<PolicySet, 'grantsFor'>,
): (action: AtomicAction, place: Resource | Unnamed) => boolean {
  const both = [policies.grantsFor(creator).grants, grantsOfScope(scope)];
  return (action, place) => both.every((grants) => isAllowed(grants, action, place));
}

export function grantsOfScope(scope: KeyScope): Grants {
  return compileGrants([{ name: 'scope', source: 'config', rules: scopeRules(scope) }]);
}

/** A resource is decided without an explanation, which looks at every rule. */
function isAllowed(grants: Grants, action: AtomicAction, place: Resource | Unnamed): boolean {
  return 'kind' in place
    ? decideRequest(grants, action, place).allowed
    : explainRequest(grants, action, place).decision.allowed;
}
