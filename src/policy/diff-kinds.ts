import { ADMIN_ROLE } from './builtin.ts';
import { holderId, holdersOf, type Held, type Holder } from './holder.ts';
import type { PolicySetDefinition } from './policy-set.ts';

/** Groups, or people, who hold the same before and the same after. The first member of each pair is about before. */
export type Kind = {
  /** Empty for everybody signed in whom no binding names. */
  readonly holders: readonly Holder[];
  readonly isGroup: boolean;
  readonly policies: readonly [readonly string[], readonly string[]];
  readonly isLocal: readonly [boolean, boolean];
  readonly isAdmin: readonly [boolean, boolean];
};

const NOBODY_NAMED: Kind = { holders: [], isGroup: false, policies: [[], []], isLocal: [false, false], isAdmin: [false, false] };

/** Everybody whom one of two definitions names, put together by what they hold. Names of policies are those of their side. */
export function kindsOf(before: PolicySetDefinition, after: PolicySetDefinition): Kind[] {
  const sides = [holdersOf(before), holdersOf(after)] as const;
  const holders = new Map([...sides[0], ...sides[1]].map(([id, { holder }]) => [id, holder]));
  const kinds = new Map<string, Kind & { readonly holders: Holder[] }>();
  for (const holder of holders.values()) {
    const [one, other] = sides.map((side) => side.get(holderId(holder)));
    const kind = {
      isGroup: 'group' in holder,
      policies: [policiesOf(one), policiesOf(other)],
      isLocal: [one?.isLocal === true, other?.isLocal === true],
      isAdmin: [one?.roles.has(ADMIN_ROLE) === true, other?.roles.has(ADMIN_ROLE) === true],
    } as const;
    const id = JSON.stringify(kind);
    const known = kinds.get(id);
    if (known === undefined) kinds.set(id, { ...kind, holders: [holder] });
    else known.holders.push(holder);
  }
  return [NOBODY_NAMED, ...kinds.values()];
}

function policiesOf(held: Held | undefined): string[] {
  return [...new Set(held?.ways.map(({ policy }) => policy))].sort();
}
