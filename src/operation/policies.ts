import { invalidRequest } from '../access/invalid.ts';
import { bucketTarget, providerTarget, type Targets } from '../access/target.ts';
import { atomicActions, resourceKindOf, type AtomicAction } from '../policy/action.ts';
import { explain } from '../policy/explain.ts';
import type { Resource } from '../policy/resource.ts';
import type { OperationInput } from '../wire/operations.ts';
import { operation } from './operation.ts';

const admin = { kind: 'admin' } as const;

/** Who can do what, for the admin role. */
export const listRoles = operation({ name: 'role/list', access: admin, run: ({ services }) => ({ roles: services.policies.definition.roles }) });

export const listPolicies = operation({ name: 'policy/list', access: admin, run: ({ services }) => ({ policies: services.policies.definition.policies }) });

export const listBindings = operation({ name: 'binding/list', access: admin, run: ({ services }) => ({ bindings: services.policies.definition.bindings }) });

/** Explains whether a person may do something. The same core answers that decides the person's own requests. */
export const explainDecision = operation({
  name: 'policy/explain',
  access: admin,
  run: ({ input, caller, services }) => {
    const { issuer = caller.identity.issuer, subject = '', groups = [] } = input;
    const { grants, roles, policies } = services.policies.grantsFor({ issuer, subject, groups });
    const answers = atomicActions(input.action).map((action) => {
      const { decision, matches } = explain(grants, action, resourceOf(action, input, services.targets));
      return {
        action,
        allowed: decision.allowed,
        reason: decision.reason,
        matches: matches.map(({ effect, rule, selector }) => ({ effect, policy: rule.policy, rule: rule.rule, resource: selector })),
      };
    });
    return { allowed: answers.every(({ allowed }) => allowed), roles, policies: policies.map(({ name }) => name), answers };
  },
});

/** @throws {SvcError} `invalid_request` when the bucket or the key that the action is asked on is missing. */
function resourceOf(action: AtomicAction, { provider, bucket, key }: OperationInput<'policy/explain'>, at: Targets): Resource {
  const kind = resourceKindOf(action);
  if (kind === 'provider') return providerTarget(provider);
  if (bucket === undefined) throw invalidRequest({ path: 'bucket', message: `\`${action}\` is asked on ${kind === 'bucket' ? 'a bucket' : 'an object'}: name the bucket` });
  if (kind === 'bucket') return bucketTarget(provider, bucket);
  if (key === undefined) throw invalidRequest({ path: 'key', message: `\`${action}\` is asked on an object: name its key` });
  return at.object(provider, bucket, key);
}
