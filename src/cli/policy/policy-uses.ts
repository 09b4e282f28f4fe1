import { isAtomicAction } from '../../policy/model/action.ts';
import { bucketResource, objectResource, providerResource, type Resource } from '../../policy/model/resource.ts';
import type { RuleRef } from '../../policy/model/rule.ts';
import type { Use } from '../../policy/answers/usage.ts';
import type { AuditLine } from '../terminal/edge.ts';

/**
 * The uses of allowed actions in a line of the audit. Denied actions are left out, and so are actions that were not carried out because of a denial.
 *
 * @param revision - of the policies whose rules are examined. A line with another revision names rules of that revision; a line of a key names those of
 *   its scope.
 */
export function usesIn(line: AuditLine, revision: string): Use[] {
  const { kind, operation, issuer, subject } = line;
  const isNamed = line['policyRevision'] === revision && line['via'] !== 'apiKey' && line['via'] !== 's3Key';
  const time = Date.parse(line.time);
  return line.resources.flatMap(({ provider, bucket, key, prefix, action, outcome, rule }): Use[] => {
    if (provider === undefined || !isCarriedOut(kind, outcome)) return [];
    const use = {
      person: { issuer, subject },
      rule: isNamed ? ruleIn(rule) : undefined,
      time,
      counts: kind === 'outcome',
    };
    if (isAtomicAction(action)) return [{ ...use, action, on: resourceOf(provider, bucket, key) }];
    // An archive names folders and contains everything in them that may be read.
    return operation === 'object/archive' && bucket !== undefined && prefix !== undefined
      ? [{ ...use, action: 'objects:get', on: { provider, bucket, prefix } }]
      : [];
  });
}

/** Whether a use in a line is not counted, because an earlier version wrote its resource as a text that may mean two objects. */
export function isAmbiguous({ kind, operation, resources }: AuditLine): boolean {
  const isOfStorage = (action: string | undefined): boolean => isAtomicAction(action) || operation === 'object/archive';
  return resources.some(
    ({ provider, action, outcome }) => provider === undefined && isOfStorage(action) && isCarriedOut(kind, outcome),
  );
}

function isCarriedOut(kind: AuditLine['kind'], outcome: string | undefined): boolean {
  return kind === 'intent' || outcome === 'done' || outcome === 'failed';
}

function resourceOf(provider: string, bucket: string | undefined, key: string | undefined): Resource {
  if (bucket === undefined) return providerResource(provider);
  return key === undefined ? bucketResource(provider, bucket) : objectResource(provider, bucket, key);
}

/** Parses `team 1`: the name of the policy, which may contain spaces, and the index of the rule. */
function ruleIn(text: string | undefined): RuleRef | undefined {
  const [, policy, rule] = /^(.*) (\d+)$/s.exec(text ?? '') ?? [];
  return policy === undefined ? undefined : { policy, rule: Number(rule) };
}
