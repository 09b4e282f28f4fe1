import { describe, expect, it } from '@jest/globals';
import { planPages, hasMoreRules } from '../../src/policy/listing/page-plan.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import { afterPrefix, compareKeys } from '../../src/policy/index/key-order.ts';

const scope = { provider: 'p', bucket: 'b', prefix: '' };
const number = (i: number) => String(i).padStart(4, '0');
const grantsOf = (effect: 'allow' | 'deny', keys: readonly string[]) =>
  compileGrants([
    {
      name: 'x',
      source: 'config',
      rules: [
        {
          effect,
          actions: ['objects:list'],
          resources: keys.map((key) => ({ type: 'object' as const, provider: 'p', bucket: 'b', key })),
        },
        ...(effect === 'deny'
          ? [
              {
                effect: 'allow' as const,
                actions: ['objects:list' as const],
                resources: [{ type: 'bucket' as const, provider: 'p', bucket: 'b' }],
              },
            ]
          : []),
      ],
    },
  ]);
const tenth = Array.from({ length: 1000 }, (_, i) => number(i * 10));

describe('divide', () => {
  it('begins with the position where a listing stands, and goes on at places that a page passes, somewhat closer than these lie', () => {
    const seen = { begin: '', end: '0999', entries: 1000, allowed: 100 };
    const positions = planPages(grantsOf('allow', tenth), 'objects:list', scope, seen, {
      after: '0999',
      wanted: 400,
      size: 1000,
      pages: 30,
    });
    expect(positions[0]).toBe('0999');
    expect(positions.length).toBeGreaterThanOrEqual(5);
    expect(positions.length).toBeLessThanOrEqual(6);
    for (const [i, position] of positions.slice(1).entries()) {
      const before = Number.parseInt(positions[i]!, 10);
      expect(compareKeys(positions[i]!, position)).toBeLessThan(0);
      expect(Number.parseInt(position, 10) - before).toBeLessThan(1000);
    }
  });

  it('goes on just before a key that is allowed, and behind one that is denied', () => {
    const seen = { begin: '', end: '0009', entries: 10, allowed: 1 };
    const options = { after: '0009', wanted: 10, size: 10, pages: 3 };
    expect(planPages(grantsOf('allow', ['0005', '0015', '0025']), 'objects:list', scope, seen, options)).toEqual([
      '0009',
      afterPrefix('0014'),
      afterPrefix('0024'),
    ]);
    expect(planPages(grantsOf('deny', ['0005', '0015', '0025']), 'objects:list', scope, seen, options)).toEqual([
      '0009',
      '0015',
      '0025',
    ]);
  });

  it('stays in its scope, and at the number of pages that is allowed', () => {
    const seen = { begin: '', end: '0109', entries: 110, allowed: 11 };
    const options = { after: '0109', wanted: 1000, size: 10, pages: 7 };
    expect(planPages(grantsOf('allow', tenth), 'objects:list', scope, seen, options)).toHaveLength(7);
    expect(
      planPages(grantsOf('allow', tenth), 'objects:list', { ...scope, prefix: '01' }, seen, options).every((position) =>
        position.startsWith('01'),
      ),
    ).toBe(true);
    expect(planPages(grantsOf('allow', tenth), 'objects:list', { ...scope, bucket: 'other' }, seen, options)).toEqual([
      '0109',
    ]);
  });
});

describe('hasMoreRules', () => {
  it('counts what rules name behind a position, and no further than it is asked', () => {
    const grants = grantsOf('allow', tenth);
    expect([998, 999, 1000].map((count) => hasMoreRules(grants, scope, '', count))).toEqual([true, true, false]);
    expect([9, 10].map((count) => hasMoreRules(grants, scope, '9899', count))).toEqual([true, false]);
    expect(hasMoreRules(grants, { ...scope, prefix: '00' }, '', 10)).toBe(false);
  });
});
