import { ATOMIC_ACTIONS, type AtomicAction } from '../policy/action.ts';
import type { RuleRef } from '../policy/rule.ts';
import type { Use } from '../policy/usage.ts';
import { readPlace, resourceAt } from '../policy/written-place.ts';
import type { AuditLine } from './edge.ts';

/**
 * The uses of allowed actions in a line of the audit. Denied actions are left out, and so are actions that were not carried out because of a denial.
 *
 * @param revision - of the policies whose rules are examined. A line with another revision names rules of that revision; a line of an API key names those of
 *   its scope.
 */
export function usesIn(line: AuditLine, revision: string): Use[] {
  const { kind, operation, issuer, subject } = line;
  const isNamed = line['policyRevision'] === revision && line['via'] !== 'apiKey';
  const time = Date.parse(line.time);
  return line.resources.flatMap(({ resource, action, outcome, rule }): Use[] => {
    if (kind === 'outcome' && outcome !== 'done' && outcome !== 'failed') return [];
    const use = { person: { issuer, subject }, rule: isNamed ? ruleIn(rule) : undefined, time, counts: kind === 'outcome' };
    if (isAction(action)) {
      const on = resourceAt(action, resource);
      return 'fault' in on ? [] : [{ ...use, action, on }];
    }
    // An archive names folders and contains everything in them that may be read.
    const place = operation === 'object/archive' && action === undefined ? readPlace(resource) : undefined;
    if (place === undefined || 'fault' in place || place.bucket === undefined) return [];
    return [{ ...use, action: 'objects:get', on: { provider: place.provider, bucket: place.bucket, prefix: place.key } }];
  });
}

function isAction(name: string | undefined): name is AtomicAction {
  return ATOMIC_ACTIONS.includes(name as AtomicAction);
}

/** Parses `team 1`: the name of the policy, which may contain spaces, and the index of the rule. */
function ruleIn(text: string | undefined): RuleRef | undefined {
  const [, policy, rule] = /^(.*) (\d+)$/s.exec(text ?? '') ?? [];
  return policy === undefined ? undefined : { policy, rule: Number(rule) };
}
