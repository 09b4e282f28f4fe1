import { describe, expect, it } from '@jest/globals';
import type { Policy } from '../../../src/web/admin/records.ts';
import { filterRules, namesIn, policyLink } from '../../../src/web/admin/rule-filter.ts';

const POLICIES: Policy[] = [
  {
    name: 'everything',
    source: 'built-in',
    rules: [{ effect: 'allow', actions: ['objects:get'], resources: [{ type: 'all' }] }],
  },
  {
    name: 'team',
    source: 'config',
    rules: [
      {
        effect: 'allow',
        actions: ['objects:get', 'objects:write'],
        resources: [{ type: 'prefix', provider: 'main', bucket: 'team', prefix: 'docs/' }],
      },
      { effect: 'deny', actions: ['objects:delete'], resources: [{ type: 'provider', provider: 'other' }] },
    ],
  },
];
const ANY = { policy: '', effect: '', action: '', provider: '', bucket: '' };
const found = (filter: Partial<typeof ANY>) =>
  filterRules(POLICIES, { ...ANY, ...filter }).map(({ policy, number }) => `${policy.name} ${number}`);

describe('filterRules', () => {
  it.each([
    [{}, ['everything 1', 'team 1', 'team 2']],
    [{ policy: 'team' }, ['team 1', 'team 2']],
    [{ policy: 'tea' }, []],
    [{ effect: 'deny' }, ['team 2']],
    [{ action: 'objects:write' }, ['team 1']],
    [{ provider: 'main' }, ['everything 1', 'team 1']],
    [{ bucket: 'team' }, ['everything 1', 'team 1', 'team 2']],
    [{ provider: 'main', bucket: 'elsewhere' }, ['everything 1']],
  ])('finds what reaches into %j', (filter, expected) => {
    expect(found(filter)).toEqual(expected);
  });
});

describe('policyLink', () => {
  it('carries any name', () => {
    expect(policyLink('a & b')).toBe('/admin/policies?policy=a+%26+b');
  });
});

describe('namesIn', () => {
  it('lists every name once, in order', () => {
    expect(namesIn(POLICIES)).toEqual({
      actions: ['objects:delete', 'objects:get', 'objects:write'],
      providers: ['main', 'other'],
      buckets: ['team'],
    });
  });
});
