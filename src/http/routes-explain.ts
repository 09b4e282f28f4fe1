import { invalidRequest } from '../access/invalid.ts';
import { bucketTarget, providerTarget, type Targets } from '../access/target.ts';
import { atomicActions, resourceKindOf, type AtomicAction } from '../policy/action.ts';
import { explain } from '../policy/explain.ts';
import type { Resource } from '../policy/resource.ts';
import { explainRequest, explanation, type ExplainRequest } from '../wire/admin.ts';
import { route, type Route } from './route.ts';
import type { AdminParts } from './routes-admin.ts';

/** May this person do this, and why: asked for somebody else, of the core that decides their own requests. */
export function explainRoutes(parts: Pick<AdminParts, 'policies'> & { readonly targets: Targets }): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/admin/explain',
      tag: 'Administration',
      operation: 'admin/explain',
      summary: 'May this person do this, and which rules say so',
      description: 'Nothing is done, and storage is not asked. The person need not exist.',
      body: explainRequest,
      access: { kind: 'admin' },
      responses: { 200: { description: 'The decision, and what it comes from.', schema: explanation } },
      handle: ({ caller, input: { body } }) => {
        const { issuer = caller.identity.issuer, subject = '', groups = [] } = body;
        const { grants, roles, policies } = parts.policies.grantsFor({ issuer, subject, groups });
        const answers = atomicActions(body.action).map((action) => {
          const { decision, matches } = explain(grants, action, resourceOf(parts.targets, action, body));
          return {
            action,
            allowed: decision.allowed,
            reason: decision.reason,
            matches: matches.map(({ effect, rule, selector }) => ({ effect, policy: rule.policy, rule: rule.rule, resource: selector })),
          };
        });
        return { status: 200, json: { allowed: answers.every(({ allowed }) => allowed), roles, policies: policies.map(({ name }) => name), answers } };
      },
    }),
  ];
}

/** @throws {SvcError} `invalid_request` when the bucket or the key that the action is asked on is missing. */
function resourceOf(targets: Targets, action: AtomicAction, { provider, bucket, key }: ExplainRequest): Resource {
  const kind = resourceKindOf(action);
  if (kind === 'provider') return providerTarget(provider);
  if (bucket === undefined) throw invalidRequest({ path: 'bucket', message: `\`${action}\` is asked on ${kind === 'bucket' ? 'a bucket' : 'an object'}: name the bucket` });
  if (kind === 'bucket') return bucketTarget(provider, bucket);
  if (key === undefined) throw invalidRequest({ path: 'key', message: `\`${action}\` is asked on an object: name its key` });
  return targets.object(provider, bucket, key);
}
