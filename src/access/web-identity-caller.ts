import type { Identity } from '../policy/model/identity.ts';
import type { Caller } from './caller.ts';
import type { LivePolicies } from './live-policies.ts';

/** A session that was given for a token of a trusted issuer. `expiresAt` is milliseconds since the epoch. */
export type WebIdentitySession = {
  readonly identity: Identity;
  readonly name: string;
  readonly credentialId: string;
  readonly expiresAt: number;
};

/** The caller of such a session, with the grants of its identity's current bindings. */
export function webIdentityCaller(
  { identity, name, credentialId, expiresAt }: WebIdentitySession,
  policies: LivePolicies,
): Caller {
  const { grants, roles } = policies.grantsFor(identity);
  return {
    kind: 'webIdentity',
    identity,
    name,
    grants,
    scope: undefined,
    effective: grants,
    roles,
    isAdmin: false,
    policyRevision: policies.revision,
    credentialId,
    session: undefined,
    keyExpiresAt: expiresAt,
  };
}
