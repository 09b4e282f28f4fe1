import { maskOfAll, type ActionMask } from '../model/action.ts';
import { ADMIN_ROLE, UNRESTRICTED } from '../model/builtin.ts';
import { cellsOf, type Cell } from './cells.ts';
import { SOMEBODY, SOME_GROUP } from './claims-to-tell.ts';
import { claimsIn, resolvePolicy, type Claims } from '../model/each.ts';
import { compileGrants } from '../index/grants.ts';
import { principalsOf, type PrincipalAssignments, type Principal, type Assignment } from '../index/principal.ts';
import type { PolicySetDefinition } from '../index/policy-set.ts';
import { PlaceIndex, type PolicyAt, type ReviewedPlace } from './place-index.ts';
import { Regions, type Region } from './region.ts';
import type { Effect, RuleRef, WrittenRule } from '../model/rule.ts';

/** The effect of one rule for one holder at a place. */
export type ReviewedRule = {
  readonly rule: RuleRef;
  readonly written: WrittenRule;
  readonly effect: Effect;
  /**
   * What an allow gives, minus what another rule of the holder denies; or what a deny denies. `SOMEBODY` and `SOME_GROUP` name the folders of any person and of
   * any other group.
   */
  readonly regions: readonly Region[];
};

/** One line of a review: a holder, a rule, and each way in which the holder gets it. `unrestricted` means that policy is off. */
export type ReviewedLine =
  | (ReviewedRule & {
      readonly kind: 'rule';
      readonly place: ReviewedPlace;
      readonly holder: Principal;
      readonly isLocal: boolean;
      readonly by: readonly Assignment[];
    })
  | {
      readonly kind: 'admin';
      readonly holder: Principal;
      readonly isLocal: boolean;
      readonly by: readonly Omit<Assignment, 'policy'>[];
    }
  | { readonly kind: 'unrestricted'; readonly place: ReviewedPlace; readonly regions: readonly Region[] };

/** The places that rules distinguish and the known buckets. For each provider: its buckets in alphabetical order, then all its other buckets as one place. */
export function reviewedPlaces(
  { policies }: PolicySetDefinition,
  known: readonly { readonly provider: string; readonly names: readonly string[] }[],
): ReviewedPlace[] {
  const buckets = new Map(known.map(({ provider, names }) => [provider, new Set(names)]));
  for (const selector of policies.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources))) {
    if (selector.type === 'all') continue;
    const names = buckets.get(selector.provider) ?? new Set();
    buckets.set(selector.provider, names);
    if ('bucket' in selector) names.add(selector.bucket);
  }
  return [...buckets].flatMap(([provider, names]) =>
    [...[...names].sort(), undefined].map((bucket) => ({ provider, bucket })),
  );
}

/** Yields who may do what: administrators first, then place by place. Besides the definition, it holds data about one place at a time. */
export function* reviewAccess(
  definition: PolicySetDefinition,
  places: readonly ReviewedPlace[],
): Generator<ReviewedLine, void, void> {
  const holders = [...principalsOf(definition).values()];
  for (const { holder, isLocal, roles } of holders)
    if (roles.has(ADMIN_ROLE))
      yield { kind: 'admin', holder, isLocal, by: assignmentsOfRole(definition, holder, isLocal) };
  if (!definition.enabled) {
    const all = new PlaceIndex([UNRESTRICTED]);
    for (const place of places)
      yield {
        kind: 'unrestricted',
        place,
        regions: rulesAt([...all.at(place).values()], { subject: undefined, groups: [] }).flatMap(
          ({ regions }) => regions,
        ),
      };
    return;
  }
  const index = new PlaceIndex(definition.policies);
  for (const place of places) {
    const policies = index.at(place);
    /** Holders of the same policies get the same result. */
    const known = new Map<string, readonly ReviewedRule[]>();
    for (const held of holders) {
      const names = [...new Set(held.assignments.map(({ policy }) => policy))].filter((name) => policies.has(name));
      if (names.length === 0) continue;
      const own = names.map((name) => policies.get(name)!);
      const claims = claimsOf(held, definition);
      const deciding = claimsIn(own.map(({ policy, rules }) => ({ ...policy, rules })));
      const id = JSON.stringify([
        names,
        deciding.has('subject') ? (claims.subject ?? null) : '',
        deciding.has('group') ? claims.groups : [],
      ]);
      const rules = known.get(id) ?? rulesAt(own, claims);
      known.set(id, rules);
      for (const one of rules)
        yield {
          kind: 'rule',
          place,
          holder: held.holder,
          isLocal: held.isLocal,
          by: held.assignments.filter(({ policy }) => policy === one.rule.policy),
          ...one,
        };
    }
  }
}

function assignmentsOfRole(
  { bindings, localUsers }: PolicySetDefinition,
  holder: Principal,
  isLocal: boolean,
): Omit<Assignment, 'policy'>[] {
  const isHolder = (one: Principal) =>
    'group' in one
      ? 'group' in holder && one.group === holder.group
      : 'subject' in holder && one.issuer === holder.issuer && one.subject === holder.subject;
  const way = (from: Assignment['from'], place: number) => ({ from, place, role: ADMIN_ROLE });
  return [
    ...bindings.flatMap((binding, i) =>
      'role' in binding &&
      binding.role === ADMIN_ROLE &&
      ('groups' in binding ? binding.groups.some((group) => isHolder({ group })) : binding.subjects.some(isHolder))
        ? [way('binding', i)]
        : [],
    ),
    ...(isLocal
      ? localUsers.flatMap((user, i) =>
          user.roles.includes(ADMIN_ROLE) && isHolder({ issuer: user.issuer, subject: user.subject })
            ? [way('local user', i)]
            : [],
        )
      : []),
  ];
}

/** The claims for which a holder's rules with `each` are resolved. `SOME_GROUP` stands for any other group that a person may have. */
function claimsOf({ holder, isLocal }: PrincipalAssignments, { issuer }: PolicySetDefinition): Claims {
  if ('group' in holder) return { subject: SOMEBODY, groups: [holder.group, SOME_GROUP] };
  return {
    subject: issuer === undefined || issuer === holder.issuer ? holder.subject : undefined,
    groups: isLocal ? [] : [SOME_GROUP],
  };
}

/** @param held - all policies of one holder. */
function rulesAt(held: readonly PolicyAt[], claims: Claims): ReviewedRule[] {
  const cells = cellsOf(compileGrants(held.map(({ policy, rules }) => resolvePolicy({ ...policy, rules }, claims))));
  const regions = new Regions(cells);
  const { denied, clausesOf } = readCells(cells);
  return held.flatMap(({ policy: { name, rules: written }, numbers }) =>
    numbers.flatMap((number, i) => {
      const rule = written[number]!;
      const actions = maskOfAll(rule.actions);
      const at = beneath(cells, clausesOf.get(JSON.stringify([name, i])) ?? NOWHERE);
      // A rule whose actions are asked on the provider does not concern a bucket, though its selector covers it.
      if (!at.some((cell) => (actions & cells[cell]!.asked) !== 0)) return [];
      const masks = at.map((cell) => actions & cells[cell]!.asked & (rule.effect === 'allow' ? ~denied[cell]! : -1));
      return [
        { rule: { policy: name, rule: number }, written: rule, effect: rule.effect, regions: regions.of(at, masks) },
      ];
    }),
  );
}

const NOWHERE: ReadonlySet<number> = new Set();

/** The actions that are denied in each cell, and the cells in which each rule has a clause. */
function readCells(cells: readonly Cell[]): {
  readonly denied: readonly ActionMask[];
  readonly clausesOf: ReadonlyMap<string, Set<number>>;
} {
  const denied: ActionMask[] = [];
  const clausesOf = new Map<string, Set<number>>();
  for (const [i, { parent, clauses }] of cells.entries()) {
    denied.push(
      clauses.reduce(
        (mask, { effect, actions }) => (effect === 'deny' ? mask | actions : mask),
        parent < 0 ? 0 : denied[parent]!,
      ),
    );
    for (const { decision } of clauses) {
      const id = JSON.stringify([decision.rule!.policy, decision.rule!.rule]);
      clausesOf.set(id, (clausesOf.get(id) ?? new Set()).add(i));
    }
  }
  return { denied, clausesOf };
}

/** The given cells and all cells beneath them, in order. All cells beneath a cell follow it directly. */
function beneath(cells: readonly Cell[], heads: ReadonlySet<number>): number[] {
  const found: number[] = [];
  const isIn = new Set<number>();
  for (const head of [...heads].sort((a, b) => a - b)) {
    for (let i = head; i < cells.length && (i === head || isIn.has(cells[i]!.parent)); i++) {
      if (!isIn.has(i)) found.push(i);
      isIn.add(i);
    }
  }
  return found.sort((a, b) => a - b);
}
