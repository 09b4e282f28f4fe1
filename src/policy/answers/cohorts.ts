import { ADMIN_ROLE } from '../model/builtin.ts';
import { claimsIn, commonPart, ownPart, resolvePolicy, type Claims } from '../model/each.ts';
import { principalId, principalsOf, type PrincipalAssignments, type Principal } from '../index/principal.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import type { EachSelector } from '../model/resource.ts';
import type { Policy, WrittenPolicy } from '../model/rule.ts';
import { claimsToTell, NO_FOLDER, SOME_GROUP, SOMEBODY } from './claims-to-tell.ts';

/** Groups or people that hold the same before the change and the same after it. Pairs are `[before, after]`. */
export type Cohort = {
  /** Empty for signed-in people whom no binding names. */
  readonly holders: readonly Principal[];
  /** A second holder. When set, the cohort means people who are one of `holders` or have it as a group, and who are or have this holder too. */
  readonly with: Principal | undefined;
  /** True when neither the holders nor `with` is a person. */
  readonly isGroup: boolean;
  /** Names of policies, each prefixed with its side (`0` before, `1` after). */
  readonly policies: readonly [readonly string[], readonly string[]];
  readonly isLocal: readonly [boolean, boolean];
  readonly isAdmin: readonly [boolean, boolean];
  /** The {@link principalId} of the person among the holder and `with`; undefined when there is none, or no `with`. */
  readonly subject: string | undefined;
  /** Whether its policies use `each`. */
  readonly usesEach: boolean;
};

/** `heldTogether`: the policies before and after of one person who is or has all these holders. */
export type Cohorts = {
  readonly cohorts: readonly Cohort[];
  readonly policies: readonly Policy[];
  readonly heldTogether: (holders: readonly Principal[]) => readonly [readonly Policy[], readonly Policy[]];
};

/** The maximum number of pairs of holders that are examined because of `each`. */
const MAX_COMBINED = 2_000;

/** Thrown when a definition with `each` distinguishes more people than can be examined. */
export class TooManyCombinations extends Error {
  override readonly name = 'TooManyCombinations';
}

/**
 * Groups all holders that either definition names by what they hold, and returns these cohorts and the policies that they hold.
 *
 * A person whose subject equals the name of one of their groups counts as having two folders, even if both prefixes are the same.
 * Where policies use `each`, people are distinguished by the subjects and groups that bindings or paths name.
 *
 * @throws {TooManyCombinations}
 */
export function cohortsOf(before: PolicySetDefinition, after: PolicySetDefinition): Cohorts {
  const sides = [new Side(0, before), new Side(1, after)] as const;
  const holders = new Map(
    sides.flatMap(({ holders: known }) => [...known].map(([id, { holder }]) => [id, holder] as const)),
  );
  const all = [...before.policies, ...after.policies];
  const named = { subject: claimsToTell('subject', all), group: claimsToTell('group', all) };
  const cohorts = new Map<string, Cohort & { readonly holders: Principal[] }>();
  const add = (holder: Principal, companion?: Principal): void => {
    const cohort = cohortOf(sides, holder, companion);
    // Holders that are alike beside the companion may still differ alone, for example beside a local user, whose groups do not count.
    const alone = companion === undefined ? undefined : cohortOf(sides, holder, undefined);
    // Where a folder of their own may be closed to others, each is a cohort.
    const own = ('group' in holder ? named.group : named.subject).has(NO_FOLDER) ? principalId(holder) : undefined;
    const id = JSON.stringify([cohort, alone, own]);
    const known = cohorts.get(id);
    if (known === undefined) cohorts.set(id, { ...cohort, holders: [holder] });
    else known.holders.push(holder);
  };
  for (const holder of holders.values()) add(holder);
  const issuer =
    after.issuer ?? before.issuer ?? [...holders.values()].find((holder) => 'subject' in holder)?.issuer ?? '';
  const people = distinct(
    [...holders.values()].filter((holder) => 'subject' in holder),
    [...named.subject].map((subject) => ({ issuer, subject })),
  );
  const groups = distinct(
    [...holders.values()].filter((holder) => 'group' in holder),
    [...named.group].map((group) => ({ group })),
  );
  /** A person with two holders is one, whichever of the two comes first. */
  const combined = new Set<string>();
  for (const holder of holders.values()) {
    const claims = new Set(sides.flatMap((side) => [...side.claimsOf(holder)]));
    const companions = [
      ...(claims.has('subject') && 'group' in holder ? people : []),
      ...(claims.has('group') ? groups : []),
    ].filter((companion) => principalId(companion) !== principalId(holder) && !combined.has(pairId(companion, holder)));
    for (const companion of companions) combined.add(pairId(holder, companion));
    if (combined.size > MAX_COMBINED)
      throw new TooManyCombinations(
        `there are more than ${MAX_COMBINED} combinations of people with folders of their own (\`each\`)`,
      );
    for (const companion of companions) add(holder, companion);
  }
  const nobody: Cohort = {
    holders: [],
    with: undefined,
    isGroup: false,
    policies: [[], []],
    isLocal: [false, false],
    isAdmin: [false, false],
    subject: undefined,
    usesEach: false,
  };
  return {
    cohorts: [nobody, ...cohorts.values()],
    policies: sides.flatMap((side) => side.compiled()),
    heldTogether: (together) => [sides[0].held(together), sides[1].held(together)],
  };
}

/** A unique string for a holder with a companion. */
function pairId(holder: Principal, companion: Principal): string {
  return `${principalId(holder)} ${principalId(companion)}`;
}

function cohortOf(
  sides: readonly [Side, Side],
  holder: Principal,
  companion: Principal | undefined,
): Omit<Cohort, 'holders'> {
  const all = companion === undefined ? [holder] : [holder, companion];
  const person = all.find((one) => 'subject' in one);
  const of = <T>(ask: (side: Side) => T): [T, T] => [ask(sides[0]), ask(sides[1])];
  return {
    with: companion,
    isGroup: person === undefined,
    policies: of((side) => side.policiesOf(all)),
    isLocal: of((side) => person !== undefined && side.isLocal(person)),
    isAdmin: of((side) => side.counting(all).some((one) => side.heldBy(one)?.roles.has(ADMIN_ROLE) === true)),
    subject: person === undefined || companion === undefined ? undefined : principalId(person),
    usesEach: sides.some((side) => all.some((one) => side.claimsOf(one).size > 0)),
  };
}

/** One of the two definitions: before (side 0) or after (side 1). */
class Side {
  readonly holders: ReadonlyMap<string, PrincipalAssignments>;
  readonly #side: number;
  readonly #definition: PolicySetDefinition;
  readonly #own = new Map<
    string,
    { readonly policy: WrittenPolicy; readonly claims: ReadonlySet<EachSelector['each']> }
  >();
  readonly #resolved = new Map<string, Policy>();
  readonly #common = new Map<string, Policy>();

  constructor(side: number, definition: PolicySetDefinition) {
    this.#side = side;
    this.#definition = definition;
    this.holders = principalsOf(definition);
    for (const policy of definition.policies) {
      const claims = claimsIn([policy]);
      if (claims.size > 0) this.#own.set(policy.name, { policy: ownPart(policy), claims });
    }
  }

  heldBy(holder: Principal): PrincipalAssignments | undefined {
    return this.holders.get(principalId(holder));
  }

  isLocal(holder: Principal): boolean {
    return this.heldBy(holder)?.isLocal === true;
  }

  /** The holders that count. The groups of a local user do not. */
  counting(holders: readonly Principal[]): readonly Principal[] {
    const local = holders.find((holder) => this.isLocal(holder));
    return local === undefined ? holders : [local];
  }

  claimsOf(holder: Principal): ReadonlySet<EachSelector['each']> {
    return new Set(this.#namesOf(holder).flatMap((name) => [...(this.#own.get(name)?.claims ?? [])]));
  }

  #namesOf(holder: Principal): string[] {
    return [...new Set(this.heldBy(holder)?.assignments.map(({ policy }) => policy))];
  }

  policiesOf(holders: readonly Principal[]): string[] {
    const counting = this.counting(holders);
    const claims = this.#claimsOf(counting);
    return [...new Set(counting.flatMap((holder) => this.#namesOf(holder)))]
      .sort()
      .flatMap((name) => [`${this.#side}${name}`, ...this.#resolve(name, claims)]);
  }

  /** Adds `SOME_GROUP`, because a person who is no local user may also have a group that nothing names. */
  #claimsOf(counting: readonly Principal[]): Claims {
    const { issuer } = this.#definition;
    const person = counting.find((holder) => 'subject' in holder);
    const subject =
      person === undefined ? SOMEBODY : issuer === undefined || issuer === person.issuer ? person.subject : undefined;
    const isLocal = person !== undefined && this.isLocal(person);
    return {
      subject,
      groups: isLocal ? [] : [...counting.flatMap((holder) => ('group' in holder ? [holder.group] : [])), SOME_GROUP],
    };
  }

  /** Each policy that a person has who is or has these holders. */
  held(holders: readonly Principal[]): readonly Policy[] {
    return this.policiesOf(holders).map((name) => this.#resolved.get(name) ?? this.#commonOf(name));
  }

  #commonOf(name: string): Policy {
    const known = this.#common.get(name);
    if (known !== undefined) return known;
    const policy = commonPart(this.#definition.policies.find((one) => `${this.#side}${one.name}` === name)!);
    this.#common.set(name, policy);
    return policy;
  }

  #resolve(name: string, claims: Claims): string[] {
    const own = this.#own.get(name);
    if (own === undefined) return [];
    const deciding = [
      own.claims.has('subject') ? [claims.subject ?? null] : [],
      own.claims.has('group') ? claims.groups : [],
    ];
    const resolved = `${this.#side}${name}\0${JSON.stringify(deciding)}`;
    if (!this.#resolved.has(resolved))
      this.#resolved.set(resolved, { ...resolvePolicy(own.policy, claims), name: resolved });
    return [resolved];
  }

  /** Call this after all cohorts are computed, because computing them adds resolved policies. */
  compiled(): Policy[] {
    return [
      ...this.#definition.policies.map((policy) => ({ ...commonPart(policy), name: `${this.#side}${policy.name}` })),
      ...this.#resolved.values(),
    ];
  }
}

function distinct<H extends Principal>(...lists: readonly (readonly H[])[]): H[] {
  return [...new Map(lists.flat().map((holder) => [principalId(holder), holder])).values()];
}
