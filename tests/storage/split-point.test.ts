import { describe, expect, it } from '@jest/globals';
import { afterPrefix } from '../../src/policy/index/key-order.ts';
import { splitPointOf } from '../../src/storage/split-point.ts';

describe('splitPointOf', () => {
  it.each([
    ['some pages ahead', { first: 'log-0100', last: 'log-0199', until: undefined }, 'log-0'],
    ['in the next folder', { first: '2025/05/03/a', last: '2025/05/09/b', until: undefined }, '2025/05/'],
    ['nearer where the partition ends before', { first: 'x-01a', last: 'x-01b', until: afterPrefix('x-0') }, 'x-02'],
    [
      'nowhere where the page has most of what is left',
      { first: 'x-011', last: 'x-019', until: afterPrefix('x-0') },
      undefined,
    ],
    [
      'behind the first character where nothing else is in common',
      { first: 'alpha', last: 'beta', until: undefined },
      'b',
    ],
    ['nowhere outside the prefix', { first: 'p/', last: 'p/', until: undefined, prefix: 'p/' }, undefined],
    ['not inside of a character', { first: '😀', last: '😁', until: undefined }, undefined],
  ])('is %s', (_where, edges, expected) => {
    expect(splitPointOf({ prefix: '', ...edges })).toBe(expected === undefined ? undefined : afterPrefix(expected));
  });
});
