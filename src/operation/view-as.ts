import { isAdmin } from '../access/identify.ts';
import { allowedBeneath } from '../policy/listing/beneath.ts';
import { maskOf } from '../policy/model/action.ts';
import { commonPart } from '../policy/model/each.ts';
import type { Grants } from '../policy/index/grants.ts';
import { permissionList, permissionsHere, permissionsOnNewBucket } from '../policy/listing/permission-list.ts';
import type { Policy } from '../policy/model/rule.ts';
import type { Selector } from '../policy/model/resource.ts';
import type { OperationOutput } from '../wire/operations.ts';
import { operation } from './operation.ts';

type Provider = OperationOutput<'policy/viewAs'>['providers'][number];
type Place = Provider['buckets'][number]['places'][number];

/** The maximum number of buckets and places in an answer. */
const MAX_NAMED = 1_000;

/**
 * Shows what the UI would show to a person: the providers, the buckets and places that configuration and policy name, and the actions that are allowed there.
 *
 * The answer comes from policy alone. Storage is not asked, so it does not reveal what is stored.
 */
export const viewAs = operation({
  name: 'policy/viewAs',
  access: { kind: 'admin' },
  about: ({ issuer, subject }, trail, caller) =>
    trail.about({ person: subject }, { issuer: issuer ?? caller.identity.issuer, subject, name: subject }),
  run: ({ input, caller, services, storage }) => {
    const { issuer = caller.identity.issuer, subject, groups = [] } = input;
    const { grants, roles, policies } = services.policies.grantsFor({ issuer, subject, groups });
    const named = namesIn([...services.policies.definition.policies.map(commonPart), ...policies]);
    const budget = { left: MAX_NAMED, leftOut: 0 };
    const providers = storage.names().map((name): Provider => {
      const buckets = new Set([...storage.namedBuckets(name), ...(named.get(name)?.keys() ?? [])]);
      return {
        name,
        listed: has(grants, 'providers:list', { provider: name }),
        actions: permissionList(grants, { provider: name }),
        others: permissionsOnNewBucket(grants, name),
        buckets: [...buckets]
          .sort()
          .flatMap((bucket) =>
            bucketOf(grants, { provider: name, bucket }, named.get(name)?.get(bucket) ?? [], budget),
          ),
      };
    });
    return {
      roles,
      policies: policies.map((policy) => policy.name),
      admin: isAdmin(roles),
      providers: providers.filter(isSomething),
      leftOut: budget.leftOut,
    };
  },
});

type Budget = { left: number; leftOut: number };

function bucketOf(
  grants: Grants,
  at: { readonly provider: string; readonly bucket: string },
  selectors: readonly Selector[],
  budget: Budget,
): Provider['buckets'] {
  const actions = permissionList(grants, at);
  if (actions.length === 0 || !spend(budget)) return [];
  const places = selectors.flatMap((selector) => placeOf(grants, at, selector, budget));
  return [
    {
      name: at.bucket,
      listed: actions.includes('buckets:read'),
      actions,
      here: permissionsHere(grants, { ...at, prefix: '' }),
      places,
    },
  ];
}

/** The actions on a folder or object that a rule names. Empty when nothing is allowed there. */
function placeOf(
  grants: Grants,
  at: { readonly provider: string; readonly bucket: string },
  selector: Selector,
  budget: Budget,
): Place[] {
  if (selector.type === 'prefix' && selector.prefix !== '') {
    const scope = { ...at, prefix: selector.prefix };
    const actions = permissionList(grants, scope).filter(isOnObjects);
    return actions.length > 0 && spend(budget)
      ? [{ prefix: selector.prefix, actions, here: permissionsHere(grants, scope) }]
      : [];
  }
  if (selector.type !== 'object') return [];
  const actions = permissionList(grants, { ...at, key: selector.key }).filter(isOnObjects);
  return actions.length > 0 && spend(budget) ? [{ key: selector.key, actions }] : [];
}

function isOnObjects(action: string): boolean {
  return action.startsWith('objects:');
}

function isSomething({ listed, actions, others, buckets }: Provider): boolean {
  return listed || actions.length + others.length + buckets.length > 0;
}

function has(grants: Grants, action: 'providers:list', place: { readonly provider: string }): boolean {
  return (allowedBeneath(grants, place) & maskOf(action)) !== 0;
}

function spend(budget: Budget): boolean {
  if (budget.left === 0) {
    budget.leftOut += 1;
    return false;
  }
  budget.left -= 1;
  return true;
}

/** The selectors of all policies that name a bucket or something in it, without duplicates, by provider and bucket. */
function namesIn(policies: readonly Policy[]): Map<string, Map<string, Selector[]>> {
  const seen = new Set<string>();
  const byProvider = new Map<string, Map<string, Selector[]>>();
  for (const selector of policies.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources))) {
    if (!('bucket' in selector) || seen.has(JSON.stringify(selector))) continue;
    seen.add(JSON.stringify(selector));
    const byBucket = byProvider.get(selector.provider) ?? new Map<string, Selector[]>();
    byProvider.set(selector.provider, byBucket);
    const selectors = byBucket.get(selector.bucket) ?? [];
    byBucket.set(selector.bucket, selectors);
    selectors.push(selector);
  }
  return byProvider;
}
