import { describe, expect, it } from '@jest/globals';
import { rowOfTyped, typedOn } from '../../../src/web/folder/type-ahead.ts';

const NAMES = ['alpha', 'beta', 'Berlin', 'gamma'];
const typed = (text: string) => ({ text, at: 0 });

describe('rowOfTyped', () => {
  it.each([
    ['b', 0, 1],
    ['b', 1, 2],
    ['bb', 1, 2],
    ['b', 2, 1],
    ['be', 1, 1],
    ['ber', 1, 2],
    ['A', 3, 0],
    ['x', 0, undefined],
  ])('of %s from row %i is row %s', (text, from, found) => {
    expect(rowOfTyped(NAMES, from, typed(text))).toBe(found);
  });
});

it('typing goes on until a pause', () => {
  expect(typedOn({ text: 'b', at: 1_000 }, 'e', 1_500).text).toBe('be');
  expect(typedOn({ text: 'b', at: 1_000 }, 'e', 2_500).text).toBe('e');
});
