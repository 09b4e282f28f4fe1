import fc from 'fast-check';
import type { Binding, LocalUser } from '../../src/policy/model/binding.ts';
import { UNRESTRICTED } from '../../src/policy/model/builtin.ts';
import type { Principal } from '../../src/policy/index/principal.ts';
import type { PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import type { Policy, Rule } from '../../src/policy/model/rule.ts';
import * as arbitrary from './arbitraries.ts';

const ISSUER = 'https://login.example.com';
const GROUPS = ['g1', 'g2', 'g3'] as const;
const SUBJECTS = ['s1', 's2'] as const;

const holders: Principal[] = [
  ...GROUPS.map((group) => ({ group })),
  ...SUBJECTS.map((subject) => ({ issuer: ISSUER, subject })),
];
const subsets = holders.reduce<Principal[][]>(
  (sets, holder) => [...sets, ...sets.map((set) => [...set, holder])],
  [[]],
);
/** Every person there can be: one subject at most, and any groups. */
export const people: readonly (readonly Principal[])[] = subsets.filter(
  (set) => set.filter((holder) => 'subject' in holder).length < 2,
);

/** Names that a request may have. */
const BUCKET_NAMES: Readonly<Record<string, string>> = { b: 'bucket', B: 'basket', other: 'other' };
export const bucketName = (name: string): string => BUCKET_NAMES[name] ?? name;

const withNames = (rule: Rule): Rule => ({
  ...rule,
  resources: rule.resources.map((selector) =>
    'bucket' in selector ? { ...selector, bucket: bucketName(selector.bucket) } : selector,
  ),
});

const NAMES = ['one', 'two', 'three'] as const;
const rules = fc.array(arbitrary.rule.map(withNames), { maxLength: 4 });
const policies: fc.Arbitrary<Policy[]> = fc
  .tuple(rules, rules, rules)
  .map((lists) => lists.map((list, i) => ({ name: NAMES[i]!, source: 'config', rules: list })));

const given = fc.oneof(
  fc.record({ role: fc.constantFrom('admin', 'reader') }),
  fc.record({ policies: fc.subarray([...NAMES], { minLength: 1 }) }),
);
const members = fc.oneof(
  { weight: 3, arbitrary: fc.record({ groups: fc.subarray([...GROUPS], { minLength: 1 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      subjects: fc
        .subarray([...SUBJECTS], { minLength: 1 })
        .map((some) => some.map((subject) => ({ issuer: ISSUER, subject }))),
    }),
  },
);
const binding: fc.Arbitrary<Binding> = fc.tuple(members, given).map(([who, what]) => ({ ...who, ...what }));
const localUsers: fc.Arbitrary<LocalUser[]> = fc
  .tuple(fc.subarray([...SUBJECTS]), fc.subarray(['admin', 'reader']))
  .map(([subjects, roles]) => subjects.map((subject) => ({ issuer: ISSUER, subject, roles })));

/** Without `each`. */
export type PlainDefinition = Omit<PolicySetDefinition, 'policies'> & { readonly policies: readonly Policy[] };

export const definition: fc.Arbitrary<PlainDefinition> = fc.record({
  policies,
  roles: fc.tuple(fc.subarray([...NAMES]), fc.subarray([...NAMES])).map(([admin, reader]) => [
    { name: 'admin', policies: admin },
    { name: 'reader', policies: reader },
  ]),
  bindings: fc.array(binding, { maxLength: 4 }),
  localUsers: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: localUsers }),
  enabled: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});

const replaced = fc
  .tuple(definition, definition, fc.subarray(['policies', 'roles', 'bindings', 'localUsers', 'enabled'] as const))
  .map(([before, other, changed]) => {
    const after = { ...before, ...Object.fromEntries(changed.map((part) => [part, other[part]])) };
    return [before, after] as const;
  });

/** Two groups, of which one allows and the other denies, so that both together often change where neither alone does. */
const opposed: fc.Arbitrary<PlainDefinition> = definition.map((one) => ({
  ...one,
  policies: one.policies.map((policy, i) => ({
    ...policy,
    rules: policy.rules.map((rule) => ({ ...rule, effect: i === 0 ? 'allow' : 'deny' })),
  })),
  bindings: [{ groups: ['g1'], policies: ['one'] }, { groups: ['g2'], policies: ['two'] }, ...one.bindings],
  enabled: true,
}));

/** An edit of a file: rules that are gone, and rules whose effect is turned round. */
const edited = fc
  .tuple(fc.oneof(definition, opposed), fc.infiniteStream(fc.constantFrom('keep', 'keep', 'drop', 'turn')))
  .map(([before, edits]) => {
    const edit = (rule: Rule): Rule[] => {
      const value: unknown = edits.next().value;
      if (value === 'turn') return [{ ...rule, effect: rule.effect === 'allow' ? 'deny' : 'allow' }];
      return value === 'drop' ? [] : [rule];
    };
    return [
      before,
      { ...before, policies: before.policies.map((policy) => ({ ...policy, rules: policy.rules.flatMap(edit) })) },
    ] as const;
  });

/** A definition, and what becomes of it. */
export const pairOfDefinitions = fc.oneof(replaced, edited);

/** What somebody holds, by the specification: the names of roles and policies. Shares no code with what it checks. */
export function heldNaively(
  { policies: all, roles, bindings, localUsers, enabled }: PlainDefinition,
  person: readonly Principal[],
): { readonly policies: readonly Policy[]; readonly isAdmin: boolean } {
  const own = person.find((holder) => 'subject' in holder);
  const local = localUsers.find(({ subject }) => subject === own?.subject);
  const counting = local === undefined ? person : [own!];
  const bound = bindings.filter((one) =>
    counting.some((holder) =>
      'group' in holder
        ? 'groups' in one && one.groups.includes(holder.group)
        : 'subjects' in one && one.subjects.some(({ subject }) => subject === holder.subject),
    ),
  );
  const roleNames = [...(local?.roles ?? []), ...bound.flatMap((one) => ('role' in one ? [one.role] : []))];
  const names = [
    ...roleNames.flatMap((role) => roles.find(({ name }) => name === role)!.policies),
    ...bound.flatMap((one) => ('policies' in one ? one.policies : [])),
  ];
  return {
    policies: enabled ? all.filter(({ name }) => names.includes(name)) : [UNRESTRICTED],
    isAdmin: roleNames.includes('admin'),
  };
}
