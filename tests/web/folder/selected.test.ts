import { describe, expect, it } from '@jest/globals';
import {
  added,
  asListed,
  rangeOf,
  settled,
  selectedFrom,
  stretched,
  toggled,
  type Chosen,
  type Selected,
} from '../../../src/web/folder/selected.ts';
import type { Entry } from '../../../src/web/objects/entry.ts';

const row = (key: string): Entry => ({ kind: 'folder', key, name: key });
const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(row);
const chosenOf = (...keys: string[]): Chosen => new Map(keys.map((key) => [key, row(key)]));
const keysOf = ({ chosen }: Selected) => [...chosen.keys()].sort().join('');
const stretchedTo = (from: Selected, anchor: string, end: number) => stretched(from, rangeOf(rows, anchor, end));

describe('a range', () => {
  it('grows and shrinks from its anchor, and passes over it', () => {
    const start = selectedFrom(chosenOf());
    const ranges = [4, 6, 5, 0].reduce<Selected[]>(
      (done, end) => [...done, stretchedTo(done.at(-1) ?? start, 'd', end)],
      [],
    );
    expect(ranges.map(keysOf)).toEqual(['de', 'defg', 'def', 'abcd']);
  });

  it('leaves what was selected before as it is when it shrinks over it', () => {
    const start = selectedFrom(chosenOf('b', 'f'));
    expect(keysOf(stretchedTo(stretchedTo(start, 'd', 7), 'd', 4))).toBe('bdef');
  });

  it('stays when another one begins elsewhere', () => {
    const first = settled(stretchedTo(selectedFrom(chosenOf()), 'a', 2));
    expect(keysOf(stretchedTo(stretchedTo(first, 'f', 7), 'f', 6))).toBe('abcfg');
  });

  it('stays when a single row is chosen or given back', () => {
    const range = stretchedTo(selectedFrom(chosenOf()), 'a', 2);
    expect(keysOf(stretchedTo(toggled(range, row('b')), 'e', 5))).toBe('acef');
    expect(keysOf(added(range, [row('h')]))).toBe('abch');
  });

  it('begins at the row to which it goes when its anchor is listed no more', () => {
    expect(rangeOf(rows, 'gone', 3).map(({ key }) => key)).toEqual(['d']);
  });
});

describe('asListed', () => {
  it('takes the rows as they are listed now, and drops those that are not', () => {
    const listed = [{ ...row('a'), name: 'read again' }, row('b')];
    const chosen = asListed(chosenOf('a', 'gone'), listed, true);
    expect(chosen).toEqual([listed[0]]);
    expect(chosen[0]).toBe(listed[0]);
  });

  it('keeps what may still come', () => {
    expect(asListed(chosenOf('a', 'later'), rows, false).map(({ key }) => key)).toEqual(['a', 'later']);
  });
});
