import { actionIndex, ATOMIC_ACTIONS, resourceKindOf, type AtomicAction } from './action.ts';
import { NO_MATCHING_ALLOW, type Decision } from './decision.ts';
import type { Grants } from './grants.ts';
import { verdictsForKey } from './key-tree.ts';
import type { Resource } from './resource.ts';
import type { Verdicts } from './verdicts.ts';

export type { Decision } from './decision.ts';

const KIND_ASKED = ATOMIC_ACTIONS.map(resourceKindOf);

/**
 * Decides one action on one resource.
 *
 * A matching deny overrides every allow; without a matching allow the answer is no. An action asked on another kind of resource
 * than its own, such as `objects:get` on a bucket, is matched by nothing. Never throws.
 *
 * @see spec "Authorization rules"
 */
export function decide(grants: Grants, action: AtomicAction, resource: Resource): Decision {
  const index = actionIndex(action);
  if (KIND_ASKED[index] !== resource.kind) return NO_MATCHING_ALLOW;
  return verdictsOn(grants, resource)[index]!;
}

/** The verdicts of the narrowest place that the rules name and that holds the resource. */
function verdictsOn(grants: Grants, resource: Resource): Verdicts {
  const provider = grants.providers.get(resource.provider);
  if (provider === undefined) return grants.verdicts;
  if (resource.kind === 'provider') return provider.verdicts;
  const bucket = provider.buckets.get(resource.bucket);
  if (bucket === undefined) return provider.verdicts;
  if (resource.kind === 'bucket') return bucket.verdicts;
  return verdictsForKey(bucket.keys, resource.key);
}
