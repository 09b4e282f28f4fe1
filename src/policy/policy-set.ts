import type { Binding, LocalUser, Role } from './binding.ts';
import { UNRESTRICTED } from './builtin.ts';
import { compileGrants, EVERYTHING, type Grants } from './grants.ts';
import type { Identity } from './identity.ts';
import type { Policy } from './rule.ts';

/** Who may do what, as configured. */
export type PolicySetDefinition = {
  readonly policies: readonly Policy[];
  readonly roles: readonly Role[];
  readonly bindings: readonly Binding[];
  readonly localUsers: readonly LocalUser[];
  /** False: whoever is signed in may do everything. Roles are resolved all the same. */
  readonly enabled: boolean;
};

/** What an identity holds. `policies` is what `grants` was compiled from. */
export type Holdings = { readonly grants: Grants; readonly roles: readonly string[]; readonly policies: readonly Policy[] };

export class PolicySet {
  readonly definition: PolicySetDefinition;

  constructor(definition: PolicySetDefinition) {
    this.definition = definition;
  }

  grantsFor(identity: Identity): Holdings {
    void identity; void compileGrants;
    return { grants: EVERYTHING, roles: [], policies: [UNRESTRICTED] };
  }
}
