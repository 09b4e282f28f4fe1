import { isAtomicAction, type AtomicAction } from '../../policy/model/action.ts';
import { bucketResource, objectResource, providerResource, type Resource } from '../../policy/model/resource.ts';
import type { RuleRef } from '../../policy/model/rule.ts';
import type { Use } from '../../policy/answers/usage.ts';
import type { AuditLine } from '../terminal/edge.ts';

/**
 * The operations whose lines name a bucket or prefix, and the action about which they ask for each key in it. Listings are not judged. A search may be one for a
 * tag, which asks about the objects that it finds.
 */
export const ACTION_OF_ALL_KEYS: ReadonlyMap<string, AtomicAction> = new Map([
  ['object/archive', 'objects:get'],
  ['object/listVersions', 'objects:versions'],
  ['object/restoreFolder', 'objects:versions'],
  ['object/search', 'objects:get'],
  ['upload/list', 'objects:write'],
]);

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
    const each = ACTION_OF_ALL_KEYS.get(operation);
    return each === undefined || bucket === undefined || key !== undefined
      ? []
      : [{ ...use, action: each, on: { provider, bucket, prefix: prefix ?? '' } }];
  });
}

/** Whether a use in a line is not counted, because an earlier version wrote its resource as a text that may mean two objects. */
export function isAmbiguous({ kind, operation, resources }: AuditLine): boolean {
  const isOfStorage = (action: string | undefined): boolean =>
    isAtomicAction(action) || ACTION_OF_ALL_KEYS.has(operation);
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
