import { describe, expect, it } from '@jest/globals';
import { arrange } from '../../../src/web/folder/sort.ts';
import type { FileEntry, FolderEntry } from '../../../src/web/objects/entry.ts';

const folder = (name: string): FolderEntry => ({ kind: 'folder', key: `${name}/`, name });
const file = (name: string): FileEntry => ({
  kind: 'file',
  key: name,
  name,
  size: 0,
  etag: '',
  last_modified: '2026-01-01T00:00:00Z',
});

/** The order of storage, in which the slash of a folder counts. */
const folders = ['2024', '2025-private', '2025 old', '2025', 'a.d', 'a']
  .map(folder)
  .sort((a, b) => (a.key < b.key ? -1 : 1));
const files = ['2025', '2025-b', 'z'].map(file);
const names = (descending: boolean) =>
  arrange(folders, files, { column: 'name', descending }, false).map(({ name }) => name);

describe('arrange by name', () => {
  it('puts a folder before those whose names go on behind its own', () => {
    expect(names(false)).toEqual(['2024', '2025', '2025 old', '2025-private', 'a', 'a.d', '2025', '2025-b', 'z']);
    expect(names(true)).toEqual(['a.d', 'a', '2025-private', '2025 old', '2025', '2024', 'z', '2025-b', '2025']);
  });

  it('sorts a loaded folder as people count, whatever the case and the accents', () => {
    const sorted = [
      '!',
      '01',
      '1',
      '2',
      '010',
      '20261126',
      'a',
      'file 2 b',
      'file 2 c',
      'file 10',
      'File 11',
      'file 12',
      'öl',
      'Oz',
      'p',
    ];
    const given = sorted.toSorted().map(file);
    const order = (descending: boolean) =>
      arrange([], given, { column: 'name', descending }, true).map(({ name }) => name);
    expect(order(false)).toEqual(sorted);
    expect(order(true)).toEqual(sorted.toReversed());
  });

  it('leaves the folders that it was given as they are', () => {
    const before = [...folders];
    names(true);
    expect(folders).toEqual(before);
  });
});
