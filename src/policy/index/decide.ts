import { actionIndex, ATOMIC_ACTIONS, resourceKindOf, type AtomicAction } from '../model/action.ts';
import { NO_MATCHING_ALLOW, type Decision } from '../model/decision.ts';
import type { Grants } from './grants.ts';
import { decisionOnKey } from './packed-trees.ts';
import type { Resource } from '../model/resource.ts';

export type { Decision } from '../model/decision.ts';

const KIND_ASKED = ATOMIC_ACTIONS.map(resourceKindOf);

/**
 * Decides one action on one resource.
 *
 * A matching deny overrides every allow; without a matching allow the action is denied. An action on another kind of resource than its own, such as
 * `objects:get` on a bucket, matches no rule. Never throws.
 *
 * The narrowest level of the index that contains the resource has the answer, because each level includes the verdicts of the wider ones.
 *
 * @see spec "Authorization rules"
 */
export function decide(grants: Grants, action: AtomicAction, resource: Resource): Decision {
  const index = actionIndex(action);
  if (KIND_ASKED[index] !== resource.kind) return NO_MATCHING_ALLOW;
  const provider = grants.providers.get(resource.provider);
  if (provider === undefined) return grants.verdicts[index]!;
  if (resource.kind === 'provider') return provider.verdicts[index]!;
  const bucket = provider.buckets.get(resource.bucket);
  if (bucket === undefined) return provider.verdicts[index]!;
  if (resource.kind === 'bucket') return bucket.verdicts[index]!;
  return decisionOnKey(bucket.trees, bucket.root, resource.key, index);
}
