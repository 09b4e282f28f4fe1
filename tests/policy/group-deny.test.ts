import { describe, expect, it } from '@jest/globals';
import { deniesToGroups } from '../../src/policy/index/group-deny.ts';
import type { PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import type { Policy } from '../../src/policy/model/rule.ts';

const policy = (name: string, effect: 'allow' | 'deny'): Policy => ({
  name,
  source: 'config',
  rules: [{ effect, actions: ['objects:get'], resources: [{ type: 'all' }] }],
});

const definition = (bindings: PolicySetDefinition['bindings'], enabled = true): PolicySetDefinition => ({
  policies: [policy('reads', 'allow'), policy('no-reads', 'deny')],
  roles: [
    { name: 'reader', policies: ['reads'] },
    { name: 'barred', policies: ['reads', 'no-reads'] },
  ],
  bindings,
  localUsers: [{ issuer: '', subject: 'dev', roles: ['barred'] }],
  enabled,
});

describe('deniesToGroups', () => {
  it.each<[string, PolicySetDefinition['bindings'], boolean]>([
    ['nothing', [], false],
    [
      'an allow bound to a group',
      [
        { groups: ['staff'], policies: ['reads'] },
        { groups: ['staff'], role: 'reader' },
      ],
      false,
    ],
    [
      'a deny bound to a person',
      [
        { subjects: [{ issuer: 'x', subject: 'y' }], policies: ['no-reads'] },
        { subjects: [{ issuer: 'x', subject: 'y' }], role: 'barred' },
      ],
      false,
    ],
    ['a deny bound to a group', [{ groups: ['staff'], policies: ['reads', 'no-reads'] }], true],
    ['a deny in a role bound to a group', [{ groups: ['staff'], role: 'barred' }], true],
  ])('for %s', (_what, bindings, denies) => {
    expect(deniesToGroups(definition(bindings))).toBe(denies);
    expect(deniesToGroups(definition(bindings, false))).toBe(false);
  });
});
