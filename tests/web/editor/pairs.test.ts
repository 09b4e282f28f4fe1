import { expect, it } from '@jest/globals';
import { changedMetadata, sameTags } from '../../../src/web/editor/pairs.ts';

const pairs = (...all: readonly (readonly [string, string])[]) => all.map(([name, value]) => ({ name, value }));

it('changedMetadata names what is set, what changed and what is gone, and nothing that is equal', () => {
  const stored = pairs(['kept', '1'], ['changed', '1'], ['gone', '1'], ['old', '1']);
  expect(
    changedMetadata(stored, pairs(['new', '1'], ['kept', '1'], ['changed', '2'], ['added', ''], ['', 'x'])),
  ).toEqual([
    { name: 'gone', value: null },
    { name: 'old', value: null },
    { name: 'new', value: '1' },
    { name: 'changed', value: '2' },
    { name: 'added', value: '' },
  ]);
  expect(changedMetadata(stored, stored)).toEqual([]);
});

it('sameTags compares tags in any order, without rows that have no name', () => {
  expect(sameTags(pairs(['a', '1'], ['b', '2']), pairs(['b', '2'], ['', 'x'], ['a', '1']))).toBe(true);
  expect(sameTags(pairs(['a', '1']), pairs(['a', '2']))).toBe(false);
  expect(sameTags(pairs(['a', '1']), [])).toBe(false);
});
