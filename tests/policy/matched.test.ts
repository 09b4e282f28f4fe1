import { describe, expect, it } from '@jest/globals';
import { matchedClaims } from '../../src/policy/index/matched.ts';
import type { PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import type { WrittenPolicy } from '../../src/policy/model/rule.ts';

const ISSUER = 'https://login.example.com';

function ownFolders(name: string, each: 'subject' | 'group'): WrittenPolicy {
  return {
    name,
    source: 'config',
    rules: [
      {
        effect: 'allow',
        actions: ['objects:get'],
        resources: [{ type: 'prefix', provider: 'p', bucket: 'b', prefix: 'x/', each }],
      },
    ],
  };
}

const DEFINITION: PolicySetDefinition = {
  enabled: true,
  issuer: ISSUER,
  policies: [ownFolders('by subject', 'subject'), ownFolders('by group', 'group')],
  roles: [{ name: 'reader', policies: ['by subject'] }],
  bindings: [
    { groups: ['staff', 'guests'], role: 'reader' },
    { subjects: [{ issuer: ISSUER, subject: 'a/b' }], policies: ['by group'] },
    { groups: ['nobody'], role: 'reader' },
  ],
  localUsers: [{ issuer: ISSUER, subject: 'local', roles: ['reader'] }],
};
const of = (subject: string, ...groups: string[]) => matchedClaims(DEFINITION, { issuer: ISSUER, subject, groups });

describe('matchedClaims', () => {
  it('names the bindings with the groups by which they matched, and the groups that none names', () => {
    expect(of('ann', 'other', 'guests', 'staff', 'Staff')).toEqual({
      localRoles: undefined,
      bindings: [{ place: 0, groups: ['staff', 'guests'], role: 'reader' }],
      unusedGroups: new Set(['other', 'Staff']),
      isSubjectUnsafe: false,
      unsafeGroups: new Set(),
    });
  });

  it('names claims that cannot be a folder, where a policy of theirs asks for one', () => {
    expect(of('a/b', 'x/y', 'staff')).toMatchObject({
      bindings: [{ place: 0 }, { place: 1, groups: [], policies: ['by group'] }],
      isSubjectUnsafe: true,
      unsafeGroups: new Set(['x/y']),
    });
    expect(of('c/d', 'x/y')).toMatchObject({ bindings: [], isSubjectUnsafe: false, unsafeGroups: new Set() });
  });

  it('leaves out the groups of a local user, and says which roles count', () => {
    expect(of('local', 'staff', 'other')).toMatchObject({
      localRoles: ['reader'],
      bindings: [],
      unusedGroups: new Set(),
    });
  });
});
