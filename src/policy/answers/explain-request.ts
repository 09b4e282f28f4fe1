import { mergedPlaces } from '../index/decide-request.ts';
import type { Grants } from '../index/grants.ts';
import type { AtomicAction } from '../model/action.ts';
import type { Resource } from '../model/resource.ts';
import { explain, explainUnnamed, type Explanation, type Unnamed } from './explain.ts';

/** Explains a request about a resource, or about a bucket or key in a place, as the service decides it: by the first refusal under one of the names. */
export function explainRequest(grants: Grants, action: AtomicAction, place: Resource | Unnamed): Explanation {
  const answers =
    'kind' in place
      ? [place, ...mergedPlaces(action, place)].map((each) => explain(grants, action, each))
      : [place, ...mergedPlaces(action, place)].map((each) => explainUnnamed(grants, action, each));
  return answers.find(({ decision }) => !decision.allowed) ?? answers[0]!;
}
