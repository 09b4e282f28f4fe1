import type { AtomicAction } from '../policy/action.ts';
import type { Resource } from '../policy/resource.ts';
import { resourceAt } from '../policy/written-place.ts';
import { usageFault } from './cli-failure.ts';
import { withoutMark } from './remote-path.ts';

/** The resource of the kind that the action is asked on. @throws {CliFailure} usage */
export function resourceFor(action: AtomicAction, path: string): Resource {
  const resource = resourceAt(action, withoutMark(path));
  if ('fault' in resource) throw usageFault(resource.fault);
  return resource;
}
