import type { AtomicAction } from '../../policy/model/action.ts';
import type { Resource } from '../../policy/model/resource.ts';
import { resourceAt } from '../../policy/model/written-place.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import { withoutMark } from './remote-path.ts';

/**
 * Reads the resource of the kind on which the action is asked.
 *
 * @throws {CliFailure} usage
 */
export function resourceFor(action: AtomicAction, path: string): Resource {
  const resource = resourceAt(action, withoutMark(path));
  if ('fault' in resource) throw usageFault(resource.fault);
  return resource;
}
