import type { AtomicAction } from '../model/action.ts';
import type { Decision } from '../model/decision.ts';
import { mergedKeys, mergedPrefixes } from '../model/name.ts';
import type { Resource, Scope } from '../model/resource.ts';
import { decide } from './decide.ts';
import type { Grants } from './grants.ts';

/**
 * Decides a request. Some storage takes a key with an empty segment, such as `/x`, for another key, `x`. So the question is asked for that key too, and both
 * answers must allow. Otherwise a policy that denies `x` would not hold for whoever writes its name in another way.
 *
 * The service and everything that tells what it would decide ask this. {@link decide} answers for the name alone.
 */
export function decideRequest(grants: Grants, action: AtomicAction, resource: Resource): Decision {
  const decision = decide(grants, action, resource);
  if (!decision.allowed) return decision;
  for (const other of mergedPlaces(action, resource)) {
    const answer = decide(grants, action, other);
    if (!answer.allowed) return answer;
  }
  return decision;
}

/** The places for which some storage takes a key, or the keys with a prefix. None for `objects:list`: a listing shows names as they are written. */
export function mergedPlaces<P extends Resource | Scope>(action: AtomicAction, place: P): readonly P[] {
  if (action === 'objects:list') return [];
  if ('key' in place) return mergedKeys(place.key).map((key) => ({ ...place, key }));
  return 'prefix' in place ? mergedPrefixes(place.prefix).map((prefix) => ({ ...place, prefix })) : [];
}
