import { maskOf, type AtomicAction } from '../policy/action.ts';
import { allowedBeneath } from '../policy/beneath.ts';
import { decide, type Decision } from '../policy/decide.ts';
import type { Resource, Scope } from '../policy/resource.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Caller } from './caller.ts';

/** One question to policy: may the caller do `action` on `resource`? */
export type Ask = { readonly action: AtomicAction; readonly resource: Resource };

/**
 * Decides a question for a caller. An API key is asked twice, and both answers must allow:
 * what its creator's bindings grant, and the key's own scope.
 */
export function decideFor(caller: Caller, action: AtomicAction, resource: Resource): Decision {
  const granted = decide(caller.grants, action, resource);
  if (!granted.allowed || caller.scope === undefined) return granted;
  return decide(caller.scope, action, resource);
}

export function permits(caller: Caller, action: AtomicAction, resource: Resource): boolean {
  return decideFor(caller, action, resource).allowed;
}

/**
 * Lets the request pass, or ends it.
 *
 * @throws {SvcError} `access_denied` with `action`, `resource` and `reason`.
 */
export function authorize(caller: Caller, action: AtomicAction, resource: Resource): void {
  const decision = decideFor(caller, action, resource);
  if (decision.allowed) return;
  const denied = decision.reason === 'explicit_deny';
  throw new SvcError('access_denied', {
    detail: denied
      ? `a policy denies \`${action}\` here; ask an administrator if you need it`
      : `no policy of yours allows \`${action}\` here; ask an administrator if you need it`,
    members: { action, resource, reason: decision.reason },
  });
}

/** Whether the action is allowed on at least one resource in the scope. */
export function permitsBeneath(caller: Caller, action: AtomicAction, scope: Scope): boolean {
  return (allowedBeneath(caller.effective, scope) & maskOf(action)) !== 0;
}
