import { describe, expect, it } from '@jest/globals';
import type { AtomicAction } from '../../src/policy/model/action.ts';
import type { Binding } from '../../src/policy/model/binding.ts';
import { BUILT_IN_POLICIES } from '../../src/policy/model/builtin.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import type { Identity } from '../../src/policy/model/identity.ts';
import { PolicySet, type PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import { objectResource } from '../../src/policy/model/resource.ts';
import type { Policy } from '../../src/policy/model/rule.ts';

const ISSUER = 'https://idp.example';

const policyOn = (name: string, effect: 'allow' | 'deny', ...actions: AtomicAction[]): Policy => ({
  name,
  source: 'config',
  rules: [{ effect, actions, resources: [{ type: 'all' }] }],
});

const policies = [
  policyOn('read', 'allow', 'objects:get'),
  policyOn('write', 'allow', 'objects:write'),
  policyOn('no-write', 'deny', 'objects:write'),
];
const roles = [
  { name: 'admin', policies: ['read', 'write'] },
  { name: 'reader', policies: ['read'] },
  { name: 'idle', policies: [] },
];

const setOf = (bindings: Binding[], rest: Partial<PolicySetDefinition> = {}) =>
  new PolicySet({ policies, roles, bindings, localUsers: [], enabled: true, ...rest });
const someone = (groups: string[], subject = 'ada', issuer = ISSUER): Identity => ({ issuer, subject, groups });

function can(set: PolicySet, identity: Identity): AtomicAction[] {
  const { grants } = set.grantsFor(identity);
  return (['objects:get', 'objects:write'] as const).filter(
    (action) => decide(grants, action, objectResource('p', 'b', 'k')).allowed,
  );
}

describe('PolicySet.grantsFor', () => {
  it('gives nothing to an identity without a binding', () => {
    const held = setOf([{ groups: ['staff'], role: 'reader' }]).grantsFor(someone(['strangers']));
    expect(held).toMatchObject({ roles: [], policies: [] });
    expect(can(setOf([{ groups: ['staff'], role: 'reader' }]), someone(['strangers']))).toEqual([]);
  });

  it('takes the union over all groups', () => {
    const set = setOf([
      { groups: ['readers'], policies: ['read'] },
      { groups: ['writers', 'editors'], policies: ['write'] },
    ]);
    expect(can(set, someone(['readers']))).toEqual(['objects:get']);
    expect(can(set, someone(['editors']))).toEqual(['objects:write']);
    expect(can(set, someone(['readers', 'editors', 'unrelated']))).toEqual(['objects:get', 'objects:write']);
  });

  it('lets a deny of one group override the allow of another', () => {
    const set = setOf([
      { groups: ['admins'], role: 'admin' },
      { groups: ['frozen'], policies: ['no-write'] },
    ]);
    expect(can(set, someone(['admins', 'frozen']))).toEqual(['objects:get']);
  });

  it('takes no group for a policy or a role of the same name', () => {
    expect(can(setOf([]), someone(['read', 'admin']))).toEqual([]);
  });

  it('compares groups and subjects exactly', () => {
    const set = setOf([
      { groups: ['Staff'], role: 'reader' },
      { subjects: [{ issuer: ISSUER, subject: 'ada' }], role: 'reader' },
    ]);
    expect(can(set, someone(['staff'], 'Ada'))).toEqual([]);
    expect(can(set, someone(['/Staff'], 'eve'))).toEqual([]);
    expect(can(set, someone(['Staff'], 'eve'))).toEqual(['objects:get']);
    expect(can(set, someone([], 'ada'))).toEqual(['objects:get']);
  });

  it('takes `*` in a binding for a name, not for everyone', () => {
    const set = setOf([
      { groups: ['*'], role: 'reader' },
      {
        subjects: [
          { issuer: ISSUER, subject: '*' },
          { issuer: '*', subject: 'bob' },
        ],
        role: 'admin',
      },
    ]);
    for (const identity of [someone(['staff']), someone([]), someone([], ''), someone([], 'bob')])
      expect(set.grantsFor(identity).roles).toEqual([]);
    expect(set.grantsFor(someone(['*'])).roles).toEqual(['reader']);
    expect(set.grantsFor(someone([], '*')).roles).toEqual(['admin']);
  });

  it('tells subjects of different issuers apart, however the parts are cut', () => {
    const set = setOf([{ subjects: [{ issuer: 'https://a', subject: '"b"' }], role: 'reader' }]);
    expect(can(set, someone([], '"b"', 'https://a'))).toEqual(['objects:get']);
    expect(can(set, someone([], '"b"', ISSUER))).toEqual([]);
    expect(can(set, someone([], '', 'https://a"b"'))).toEqual([]);
  });

  it('names the roles once each, in the order of the definition, those without policies too', () => {
    const set = setOf([
      { groups: ['x'], role: 'idle' },
      { groups: ['y'], role: 'admin' },
      { subjects: [{ issuer: ISSUER, subject: 'ada' }], role: 'admin' },
    ]);
    expect(set.grantsFor(someone(['x', 'y'])).roles).toEqual(['admin', 'idle']);
  });

  it('gives a local user the roles of the configuration and skips the groups, not the subject', () => {
    const bindings: Binding[] = [
      { groups: ['staff'], policies: ['write'] },
      { subjects: [{ issuer: ISSUER, subject: 'bob' }], policies: ['no-write'] },
    ];
    const localUsers = [
      { issuer: ISSUER, subject: 'ada', roles: ['reader'] },
      { issuer: ISSUER, subject: 'bob', roles: ['admin'] },
    ];
    const set = setOf(bindings, { localUsers });
    expect(can(set, someone(['staff'], 'ada'))).toEqual(['objects:get']);
    expect(set.grantsFor(someone(['staff'], 'ada')).roles).toEqual(['reader']);
    expect(can(set, someone([], 'bob'))).toEqual(['objects:get']);
    expect(can(set, someone(['staff'], 'ada', 'https://other.example'))).toEqual(['objects:write']);
  });

  it('compiles once for the same identity and for the same set of policies', () => {
    const set = setOf([
      { groups: ['x'], policies: ['read', 'write'] },
      { groups: ['y'], role: 'admin' },
    ]);
    const identity = someone(['x']);
    expect(set.grantsFor(identity)).toBe(set.grantsFor(identity));
    expect(set.grantsFor(someone(['y'], 'eve')).grants).toBe(set.grantsFor(identity).grants);
    expect(set.grantsFor(someone(['y'])).roles).toEqual(['admin']);
  });

  it('resolves once for all whom the bindings do not tell apart: a session that is read from a store is another identity each time', () => {
    const set = setOf([
      { groups: ['staff'], role: 'reader' },
      { groups: ['writers'], policies: ['write'] },
      { subjects: [{ issuer: ISSUER, subject: 'eve' }], policies: ['no-write'] },
    ]);
    const held = set.grantsFor(someone(['staff', 'writers', 'unbound']));
    expect(set.grantsFor(someone(['writers', 'other', 'staff', 'staff'], 'bob', 'https://other.example'))).toBe(held);
    expect(set.grantsFor(someone(['staff']))).not.toBe(held);
    expect([
      can(set, someone(['staff', 'writers'], 'eve')),
      can(set, someone(['staff', 'writers'], 'eve', 'https://other.example')),
    ]).toEqual([['objects:get'], ['objects:get', 'objects:write']]);
  });

  it('stays right when there are more sets of policies than it keeps compiled', () => {
    const many = Array.from({ length: 600 }, (_, i) =>
      policyOn(`p${i}`, 'allow', i % 2 === 0 ? 'objects:get' : 'objects:write'),
    );
    const set = new PolicySet({
      policies: many,
      roles: [],
      bindings: many.map(({ name }) => ({ groups: [name], policies: [name] })),
      localUsers: [],
      enabled: true,
    });
    for (let round = 0; round < 2; round++) {
      for (const [i, { name }] of many.entries())
        expect(can(set, someone([name]))).toEqual([i % 2 === 0 ? 'objects:get' : 'objects:write']);
    }
  });

  it('lets everyone do everything when policy is off, and still resolves the roles', () => {
    const set = setOf([{ groups: ['staff'], role: 'reader' }], { enabled: false });
    const held = set.grantsFor(someone(['staff']));
    expect(held.grants).toBe(EVERYTHING);
    expect(held.roles).toEqual(['reader']);
    expect(can(set, someone([]))).toEqual(['objects:get', 'objects:write']);
  });
});

describe('new PolicySet', () => {
  it.each<[string, Partial<PolicySetDefinition>]>([
    ['no policy is named `gone`', { bindings: [{ groups: ['x'], policies: ['gone'] }] }],
    ['no policy is named `gone`', { roles: [{ name: 'r', policies: ['gone'] }] }],
    ['no role is named `gone`', { bindings: [{ groups: ['x'], role: 'gone' }] }],
    ['no role is named `gone`', { localUsers: [{ issuer: '', subject: 'ada', roles: ['gone'] }] }],
    ['the policy name `read` is used twice', { policies: [policies[0]!, policies[0]!] }],
    [
      'the role name `r` is used twice',
      {
        roles: [
          { name: 'r', policies: [] },
          { name: 'r', policies: [] },
        ],
      },
    ],
  ])('refuses: %s', (message, rest) => {
    expect(
      () => new PolicySet({ policies: [], roles: [], bindings: [], localUsers: [], enabled: true, ...rest }),
    ).toThrow(message);
  });
});

describe('BUILT_IN_POLICIES', () => {
  it('are what the contract names', () => {
    const actionsOf = Object.fromEntries(
      BUILT_IN_POLICIES.map(({ name, rules }) => [name, rules.map(({ effect, actions }) => [effect, ...actions])]),
    );
    expect(actionsOf).toEqual({
      'default-viewer': [['allow', 'providers:list', 'buckets:list', 'objects:list', 'objects:get']],
      'default-write': [['allow', 'objects:write', 'objects:delete', 'objects:presign']],
      'default-admin': [
        [
          'allow',
          'providers:list',
          'buckets:list',
          'buckets:create',
          'buckets:delete',
          'objects:list',
          'objects:get',
          'objects:write',
          'objects:delete',
          'objects:presign',
          'objects:versions',
          'objects:restore',
          'objects:purge',
        ],
      ],
    });
    expect(new Set(BUILT_IN_POLICIES.map(({ source }) => source))).toEqual(new Set(['built-in']));
  });
});
