import type { Trail } from '../audit/trail.ts';
import { maskOf, type AtomicAction } from '../policy/model/action.ts';
import { allowedBeneath } from '../policy/listing/beneath.ts';
import { decideRequest } from '../policy/index/decide-request.ts';
import type { Decision } from '../policy/model/decision.ts';
import type { Permitted } from '../policy/model/permitted.ts';
import type { Resource, Scope } from '../policy/model/resource.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Caller } from './caller.ts';

/** One question to policy: may the caller do `action` on `resource`? */
export type Ask = { readonly action: AtomicAction; readonly resource: Resource };

/** An API key is asked twice, and both answers must allow: what its creator's bindings grant, and the key's own scope. */
function decideFor(caller: Caller, action: AtomicAction, resource: Resource): Decision {
  const granted = decideRequest(caller.grants, action, resource);
  if (!granted.allowed || caller.scope === undefined) return granted;
  return decideRequest(caller.scope, action, resource);
}

export function permits(caller: Caller, action: AtomicAction, resource: Resource): boolean {
  return decideFor(caller, action, resource).allowed;
}

/** The resource, when the action is allowed on it. */
export function permitted<const R extends Resource>(
  caller: Caller,
  action: AtomicAction,
  resource: R,
): Permitted<R> | undefined {
  return permits(caller, action, resource) ? (resource as Permitted<R>) : undefined;
}

/** Decides a question and records the decision in the audit. */
export function ask(caller: Caller, { action, resource }: Ask, trail: Trail): Decision {
  const decision = decideFor(caller, action, resource);
  trail.asked(action, resource, decision);
  return decision;
}

/**
 * Requires that policy allows every question. All questions are asked even after a refusal, so that the audit holds each answer.
 *
 * @returns the resources of the questions, in the same order.
 * @throws {SvcError} `access_denied` with `action`, `resource` and `reason` of the first refused question.
 */
export function authorize<const T extends readonly Ask[]>(
  caller: Caller,
  asks: T,
  trail: Trail,
): { readonly [K in keyof T]: Permitted<T[K]['resource']> } {
  let refused: SvcError | undefined;
  for (const { action, resource } of asks) {
    const decision = ask(caller, { action, resource }, trail);
    if (!decision.allowed) refused ??= accessDenied(caller, { action, resource }, decision);
  }
  if (refused !== undefined) throw refused;
  return asks.map(({ resource }) => resource) as never;
}

function accessDenied(caller: Caller, { action, resource }: Ask, { reason }: Decision): SvcError {
  return new SvcError('access_denied', {
    detail: whyDenied(caller, { action, resource }, reason),
    members: { action, resource, reason },
  });
}

function whyDenied({ grants, scope }: Caller, { action, resource }: Ask, reason: Decision['reason']): string {
  if (reason === 'explicit_deny') return `a policy denies \`${action}\` here; ask an administrator if you need it`;
  if (scope !== undefined && decideRequest(grants, action, resource).allowed)
    return `the scope of this key does not include \`${action}\` here; its creator can replace the scope`;
  return `no policy of yours allows \`${action}\` here; ask an administrator if you need it`;
}

/** The scope, when the action is allowed on at least one resource in it. */
export function permittedBeneath<const S extends Scope>(
  caller: Caller,
  action: AtomicAction,
  scope: S,
): Permitted<S> | undefined {
  return (allowedBeneath(caller.effective, scope) & maskOf(action)) === 0 ? undefined : (scope as Permitted<S>);
}

/** The scope, when any action is allowed on it or on a resource in it. */
export function permittedInside<const S extends Scope>(caller: Caller, scope: S): Permitted<S> | undefined {
  return allowedBeneath(caller.effective, scope) === 0 ? undefined : (scope as Permitted<S>);
}
