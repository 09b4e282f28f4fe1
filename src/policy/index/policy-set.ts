import { addTo } from '../model/add-to.ts';
import { subjectId, type Binding, type LocalUser, type Role } from '../model/binding.ts';
import { UNRESTRICTED } from '../model/builtin.ts';
import { claimsIn, commonPart, ownPart, resolvePolicy, type Claims } from '../model/each.ts';
import { compileGrants, EVERYTHING, extendGrants, type Grants } from './grants.ts';
import type { Identity } from '../model/identity.ts';
import { RecentlyUsed } from './recently-used.ts';
import type { Policy, WrittenPolicy } from '../model/rule.ts';

/** The configured policies, and who holds them. */
export type PolicySetDefinition = {
  readonly policies: readonly WrittenPolicy[];
  readonly roles: readonly Role[];
  readonly bindings: readonly Binding[];
  readonly localUsers: readonly LocalUser[];
  /** When false, every signed-in caller may do everything. Roles are resolved in any case. */
  readonly enabled: boolean;
  /** The issuer to whose subjects `each: subject` applies; all issuers when undefined. */
  readonly issuer?: string | undefined;
};

/** The grants, roles and policies of an identity. `grants` was compiled from `policies`. Roles and policies are in the order of the definition. */
export type Holdings = {
  readonly grants: Grants;
  readonly roles: readonly string[];
  readonly policies: readonly Policy[];
};

type Compiled = Pick<Holdings, 'grants' | 'policies'>;

/** What everybody with the same bindings holds. `common` is the same for everybody, `own` still has to be resolved for each person. */
type Shared = Pick<Holdings, 'roles'> & {
  readonly policies: readonly WrittenPolicy[];
  readonly common: Compiled;
  readonly own: readonly WrittenPolicy[];
  readonly claims: ReadonlySet<'subject' | 'group'>;
};

const NO_RESTRICTION = {
  policies: [UNRESTRICTED],
  common: { grants: EVERYTHING, policies: [UNRESTRICTED] },
  own: [],
  claims: new Set<never>(),
} as const;

/** How many key-tree nodes the grants that were built for single people may have in total. */
const OWN_NODES_KEPT = 200_000;

/** Added to the nodes of each person's grants, so that grants without nodes count too. */
const OWN_NODES_AT_LEAST = 20;

/** How many different sets of groups, with or without a subject, stay resolved. With sessions in Redis, each request has a new identity object. */
const RESOLVED_SETS_KEPT = 1_024;

/** How many different sets of policies stay compiled. People who hold the same policies share one. */
const COMPILED_SETS_KEPT = 256;

/**
 * Resolves a verified identity to its holdings: the union of all bindings that name it or one of its groups.
 *
 * An identity without any binding is valid; it holds nothing.
 */
export class PolicySet {
  readonly definition: PolicySetDefinition;
  readonly #policies: Ordered<WrittenPolicy>;
  readonly #roles: Ordered<Role>;
  readonly #byGroup = new Map<string, Binding[]>();
  readonly #bySubject = new Map<string, Binding[]>();
  readonly #localUsers: ReadonlyMap<string, LocalUser>;
  readonly #compiled = new RecentlyUsed<string, Omit<Shared, 'roles'>>(COMPILED_SETS_KEPT);
  readonly #resolved = new RecentlyUsed<string, Shared & { readonly id: string }>(RESOLVED_SETS_KEPT);
  readonly #own = new RecentlyUsed<string, { readonly holdings: Holdings; readonly nodes: number }>(
    OWN_NODES_KEPT,
    ({ nodes }) => nodes + OWN_NODES_AT_LEAST,
  );
  readonly #commonHoldings = new WeakMap<Shared, Holdings>();
  readonly #held = new WeakMap<Identity, Holdings>();

  /** @throws {Error} when a name is used twice or names nothing: dropping it could drop a deny. The configuration is checked before. */
  constructor(definition: PolicySetDefinition) {
    this.definition = definition;
    this.#policies = byName('policy', definition.policies);
    this.#roles = byName('role', definition.roles);
    this.#localUsers = new Map(definition.localUsers.map((user) => [subjectId(user), user]));
    this.#requireKnownNames();
    for (const binding of definition.bindings) {
      if ('groups' in binding) for (const group of binding.groups) addTo(this.#byGroup, group, binding);
      else for (const subject of binding.subjects) addTo(this.#bySubject, subjectId(subject), binding);
    }
  }

  /** The holdings of an identity. They are remembered, so asking again for the same identity or the same set of policies costs little. */
  grantsFor(identity: Identity): Holdings {
    let holdings = this.#held.get(identity);
    if (holdings === undefined) {
      holdings = this.#resolve(identity);
      this.#held.set(identity, holdings);
    }
    return holdings;
  }

  /** A local user has the configured roles, and the bindings to the subject; their groups are ignored. */
  #resolve(identity: Identity): Holdings {
    const id = subjectId(identity);
    const localUser = this.#localUsers.get(id);
    const ofSubject = this.#bySubject.get(id) ?? [];
    const groups =
      localUser === undefined ? [...new Set(identity.groups)].filter((group) => this.#byGroup.has(group)).sort() : [];
    const isNamed = localUser !== undefined || ofSubject.length > 0;
    const set = JSON.stringify([isNamed ? id : null, ...groups]);
    const shared = this.#resolved.get(set, () => ({
      id: set,
      ...this.#hold(localUser, [...ofSubject, ...groups.flatMap((group) => this.#byGroup.get(group)!)]),
    }));
    if (shared.own.length === 0) return this.#common(shared);
    const counts = this.definition.issuer === undefined || this.definition.issuer === identity.issuer;
    return this.#resolveOwn(shared, {
      subject: counts ? identity.subject : undefined,
      groups: localUser === undefined ? [...new Set(identity.groups)].sort() : [],
    });
  }

  /** Returns the same object for everybody with the same bindings, so that API keys are compiled for it once. */
  #common(shared: Shared): Holdings {
    let holdings = this.#commonHoldings.get(shared);
    if (holdings === undefined)
      this.#commonHoldings.set(shared, (holdings = { roles: shared.roles, ...shared.common }));
    return holdings;
  }

  /** The cache key contains each claim that affects the result, so nobody gets what was resolved for another person. */
  #resolveOwn(shared: Shared & { readonly id: string }, claims: Claims): Holdings {
    const deciding = [
      shared.id,
      shared.claims.has('subject') ? [claims.subject ?? null] : [],
      shared.claims.has('group') ? claims.groups : [],
    ];
    return this.#own.get(JSON.stringify(deciding), () => {
      const { grants, nodes } = extendGrants(
        shared.common.grants,
        shared.own.map((policy) => resolvePolicy(policy, claims)),
      );
      return {
        holdings: {
          roles: shared.roles,
          grants,
          policies: shared.policies.map((policy) => resolvePolicy(policy, claims)),
        },
        nodes,
      };
    }).holdings;
  }

  #hold(localUser: LocalUser | undefined, bindings: readonly Binding[]): Shared {
    const roleNames = new Set(localUser?.roles);
    const policyNames = new Set<string>();
    for (const binding of bindings) {
      if ('role' in binding) roleNames.add(binding.role);
      else for (const name of binding.policies) policyNames.add(name);
    }
    for (const name of roleNames) for (const policy of this.#roles.get(name)!.item.policies) policyNames.add(policy);

    const roles = chosen(this.#roles, roleNames).map(({ name }) => name);
    return { roles, ...(this.definition.enabled ? this.#compile(policyNames) : NO_RESTRICTION) };
  }

  #compile(names: ReadonlySet<string>): Omit<Shared, 'roles'> {
    const policies = chosen(this.#policies, names);
    const id = JSON.stringify(policies.map(({ name }) => name));
    return this.#compiled.get(id, () => {
      const common = policies.map(commonPart);
      const claims = claimsIn(policies);
      return {
        policies,
        common: { grants: compileGrants(common), policies: common },
        own: claims.size === 0 ? [] : policies.map(ownPart),
        claims,
      };
    });
  }

  #requireKnownNames(): void {
    const { roles, bindings, localUsers } = this.definition;
    for (const role of roles) requireKnown(this.#policies, 'policy', role.policies);
    for (const user of localUsers) requireKnown(this.#roles, 'role', user.roles);
    for (const binding of bindings) {
      if ('role' in binding) requireKnown(this.#roles, 'role', [binding.role]);
      else requireKnown(this.#policies, 'policy', binding.policies);
    }
  }
}

/** Items by name, each with its index in the definition. */
type Ordered<Named> = ReadonlyMap<string, { readonly item: Named; readonly place: number }>;

function byName<Named extends { readonly name: string }>(kind: string, list: readonly Named[]): Ordered<Named> {
  const map = new Map<string, { readonly item: Named; readonly place: number }>();
  for (const [place, item] of list.entries()) {
    if (map.has(item.name)) throw new Error(`the ${kind} name \`${item.name}\` is used twice`);
    map.set(item.name, { item, place });
  }
  return map;
}

/** The items with these names, in the order of the definition. The cost depends on these items only. */
function chosen<Named>(all: Ordered<Named>, names: ReadonlySet<string>): readonly Named[] {
  return [...names]
    .map((name) => all.get(name)!)
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

function requireKnown(known: ReadonlyMap<string, unknown>, kind: string, names: readonly string[]): void {
  for (const name of names) if (!known.has(name)) throw new Error(`no ${kind} is named \`${name}\``);
}
