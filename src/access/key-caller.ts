import type { Key } from '../key/key.ts';
import { scopeRules } from '../policy/model/key-scope.ts';
import { compileGrants, type Grants } from '../policy/index/grants.ts';
import { restrict } from '../policy/index/intersect.ts';
import type { Holdings } from '../policy/index/policy-set.ts';
import type { Caller } from './caller.ts';
import type { LivePolicies } from './live-policies.ts';

/** `of`: the creator's holdings from which the grants were compiled. */
type KeyGrants = { readonly of: Holdings; readonly scope: Grants; readonly effective: Grants; readonly state: string };

/**
 * The compiled grants of each key. The store returns the same object for an unchanged key, so grants are compiled once for each version of the key and of the
 * policies.
 */
const compiled = new WeakMap<Key, KeyGrants>();

/** The caller of a key, with the grants of its creator's current bindings and the key's scope. */
export function keyCaller(key: Key, policies: LivePolicies): Caller {
  const { issuer, subject, groups, name } = key.creator;
  const identity = { issuer, subject, groups };
  const { revision } = policies;
  const holdings = policies.grantsFor(identity);
  let grants = compiled.get(key);
  if (grants?.of !== holdings) {
    const ownPolicies = [{ name: `scope of ${key.id}`, source: 'config', rules: scopeRules(key.scope) }] as const;
    const scope = { policies: ownPolicies, grants: compileGrants(ownPolicies) };
    grants = {
      of: holdings,
      scope: scope.grants,
      effective: compileGrants(restrict(holdings, scope)),
      state: JSON.stringify([key.rotatedAt, key.scope]),
    };
    compiled.set(key, grants);
  }
  return {
    kind: key.provider === undefined ? 'apiKey' : 's3Key',
    identity,
    name,
    grants: holdings.grants,
    scope: grants.scope,
    effective: grants.effective,
    roles: holdings.roles,
    isAdmin: false,
    policyRevision: revision,
    credentialId: key.id,
    session: undefined,
    keyExpiresAt: key.expiresAt,
    keyRotatedAt: key.rotatedAt,
    keyState: grants.state,
  };
}
