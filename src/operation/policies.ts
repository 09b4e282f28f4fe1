import { invalidRequest } from '../access/invalid.ts';
import { bucketTarget, providerTarget, type Targets } from '../access/target.ts';
import { ATOMIC_ACTIONS, atomicActions, maskOf, resourceKindOf, type AtomicAction } from '../policy/action.ts';
import { allowedBeneath } from '../policy/beneath.ts';
import { explain, explainUnnamed, type Unnamed } from '../policy/explain.ts';
import type { Grants } from '../policy/grants.ts';
import type { Resource } from '../policy/resource.ts';
import type { OperationInput } from '../wire/operations.ts';
import { operation } from './operation.ts';

const admin = { kind: 'admin' } as const;

/** Who can do what, for the admin role. */
export const listRoles = operation({ name: 'role/list', access: admin, run: ({ services }) => ({ roles: services.policies.definition.roles }) });

export const listPolicies = operation({ name: 'policy/list', access: admin, run: ({ services }) => ({ policies: services.policies.definition.policies }) });

export const listBindings = operation({ name: 'binding/list', access: admin, run: ({ services }) => ({ bindings: services.policies.definition.bindings }) });

type Question = OperationInput<'policy/explain'>;

/** Explains whether a person may do something. The same core answers that decides the person's own requests. */
export const explainDecision = operation({
  name: 'policy/explain',
  access: admin,
  run: ({ input, caller, services }) => {
    const { issuer = caller.identity.issuer, subject = '', groups = [] } = input;
    const { grants, roles, policies } = services.policies.grantsFor({ issuer, subject, groups });
    const answers = (input.action === undefined ? ATOMIC_ACTIONS : atomicActions(input.action)).map((action) => answerOf(grants, action, input, services.targets));
    return { allowed: answers.every(({ allowed }) => allowed), roles, policies: policies.map(({ name }) => name), answers };
  },
});

function answerOf(grants: Grants, action: AtomicAction, question: Question, at: Targets) {
  const place = unnamedIn(action, question, at);
  const { decision, matches } = place === undefined ? explain(grants, action, resourceOf(action, question, at)) : explainUnnamed(grants, action, place);
  return {
    action,
    allowed: decision.allowed,
    reason: decision.reason,
    ...(place !== undefined && { unnamed: true, somewhere: (allowedBeneath(grants, place) & maskOf(action)) !== 0 }),
    matches: matches.map(({ effect, rule, selector }) => ({ effect, policy: rule.policy, rule: rule.rule, resource: selector })),
  };
}

/** The place of a question that names no bucket or key for the action; undefined when it names one, and where it has to. */
function unnamedIn(action: AtomicAction, { action: asked, provider, bucket, prefix, key }: Question, at: Targets): Unnamed | undefined {
  const kind = resourceKindOf(action);
  if (key !== undefined && prefix !== undefined) throw invalidRequest({ path: '', message: 'give either `prefix` or `key`' });
  if (kind === 'object' && key === undefined && bucket !== undefined && (asked === undefined || prefix !== undefined)) return at.beneath(provider, bucket, prefix ?? '');
  return asked === undefined && kind !== 'provider' && bucket === undefined ? { provider } : undefined;
}

/** @throws {SvcError} `invalid_request` when the bucket or the key that the action is asked on is missing. */
function resourceOf(action: AtomicAction, { provider, bucket, key }: Question, at: Targets): Resource {
  const kind = resourceKindOf(action);
  if (kind === 'provider') return providerTarget(provider);
  if (bucket === undefined) throw invalidRequest({ path: 'bucket', message: `\`${action}\` is asked on ${kind === 'bucket' ? 'a bucket' : 'an object'}: name the bucket` });
  if (kind === 'bucket') return bucketTarget(provider, bucket);
  if (key === undefined) throw invalidRequest({ path: 'key', message: `\`${action}\` is asked on an object: name its key` });
  return at.object(provider, bucket, key);
}
