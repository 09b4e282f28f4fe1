import { revisionOf } from './policy-revision.ts';
import type { Identity } from '../policy/model/identity.ts';
import { PolicySet, type Holdings, type PolicySetDefinition } from '../policy/index/policy-set.ts';

/** The current policies. Each request reads its grants once, so that it is decided under one revision from start to end. */
export class LivePolicies {
  #set: PolicySet;
  #revision: string;

  constructor(definition: PolicySetDefinition) {
    this.#set = new PolicySet(definition);
    this.#revision = revisionOf(definition);
  }

  get definition(): PolicySetDefinition {
    return this.#set.definition;
  }

  /** A digest of the definition: instances with the same policies have the same one. */
  get revision(): string {
    return this.#revision;
  }

  grantsFor(identity: Identity): Holdings {
    return this.#set.grantsFor(identity);
  }

  /** Replaces the policies. @throws {Error} as {@link PolicySet} does; the current policies then stay. */
  replace(definition: PolicySetDefinition): void {
    this.#set = new PolicySet(definition);
    this.#revision = revisionOf(definition);
  }
}
