import { describe, expect, it } from '@jest/globals';
import { ACTION_WORDS as REVIEWED } from '../../../src/cli/review/review-row.ts';
import { ACTION_WORDS } from '../../../src/web/admin/action-words.ts';
import { holdersOf } from '../../../src/web/admin/holders.ts';

const ROLES = [
  { name: 'editor', policies: ['read', 'write'] },
  { name: 'viewer', policies: ['read'] },
];
const BINDINGS = [
  { groups: ['staff'], role: 'editor' },
  { groups: ['guests', 'staff'], role: 'viewer' },
  { subjects: [{ issuer: 'https://id.example', subject: 'ada' }], policies: ['write'] },
];

describe('holdersOf', () => {
  it.each([
    ['read', { groups: ['staff', 'guests'], subjects: [] }],
    ['write', { groups: ['staff'], subjects: ['ada'] }],
    ['purge', { groups: [], subjects: [] }],
  ])('finds who gets %s by a role or by name, each once', (policy, holders) => {
    expect(holdersOf(policy, BINDINGS, ROLES)).toEqual(holders);
  });
});

it('actions have the words of `svc access review`', () => {
  expect(ACTION_WORDS).toEqual(REVIEWED);
});
