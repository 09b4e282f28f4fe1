import { describe, expect, it } from '@jest/globals';
import { areLeftOut, claimAt, groupsAt, nameOf, parseClaimPath } from '../../src/signin/claims.ts';

describe('parseClaimPath', () => {
  it.each([
    ['groups', ['groups']],
    ['realm_access.roles', ['realm_access', 'roles']],
    ['https://example\\.com/groups', ['https://example.com/groups']],
    ['a\\.b.c', ['a.b', 'c']],
  ])('splits %j', (path, names) => {
    expect(parseClaimPath(path)).toEqual(names);
  });
});

describe('claimAt', () => {
  const claims = { a: { b: { c: 1 } }, 'x.y': 2, list: ['l'], text: 'abc', nothing: null };

  it.each([
    ['a.b.c', 1],
    ['x\\.y', 2],
    ['x.y', undefined],
    ['a.b.d', undefined],
    ['list.0', undefined],
    ['list.length', undefined],
    ['text.length', undefined],
    ['nothing', undefined],
    ['nothing.x', undefined],
    ['constructor', undefined],
    ['a.constructor.name', undefined],
    ['__proto__', undefined],
    ['', undefined],
  ])('finds at %j: %j', (path, value) => {
    expect(claimAt(claims, path)).toEqual(value);
  });
});

describe('groupsAt', () => {
  const read = (claims: Record<string, unknown>, path: string): { groups: readonly string[]; warnings: string[] } => {
    const warnings: string[] = [];
    const { groups } = groupsAt(claims, path, (message) => void warnings.push(message));
    return { groups, warnings };
  };

  it('says nothing of a claim that is missing', () => {
    expect(read({}, 'groups')).toEqual({ groups: [], warnings: [] });
  });

  it('does not find a claim that is `null`, which may have been left out', () => {
    const leftOut = { groups: null, _claim_names: { groups: 'src1' } };
    expect(groupsAt({ a: { b: null } }, 'a.b', () => undefined)).toEqual({ found: false, groups: [] });
    expect(areLeftOut(leftOut, 'groups')).toBe(true);
  });

  it('hints at the backslash when a claim has the whole path as its name', () => {
    expect(read({ 'https://example.com/groups': ['a'] }, 'https://example.com/groups')).toEqual({
      groups: [],
      warnings: [expect.stringContaining('`\\.`')],
    });
    expect(read({ 'https://example.com/groups': ['a'] }, 'https://example\\.com/groups')).toEqual({
      groups: ['a'],
      warnings: [],
    });
  });

  it('warns when the provider left the groups out because there are too many', () => {
    expect(read({ _claim_names: { groups: 'src1' } }, 'groups')).toEqual({
      groups: [],
      warnings: [expect.stringContaining('too many')],
    });
  });
});

describe('nameOf', () => {
  it('takes name, then preferred_username, then email, then the subject', () => {
    const all = { name: 'Alice', preferred_username: 'alice', email: 'a@example.com' };
    expect(nameOf(all, 's')).toBe('Alice');
    expect(nameOf({ ...all, name: ' ' }, 's')).toBe('alice');
    expect(nameOf({ ...all, name: 7, preferred_username: '' }, 's')).toBe('a@example.com');
    expect(nameOf({}, 's')).toBe('s');
  });
});
