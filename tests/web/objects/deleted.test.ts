import { expect, it } from '@jest/globals';
import type { VersionsPage } from '../../../src/web/api/version-calls.ts';
import { deletedEntries, withDeleted } from '../../../src/web/objects/deleted.ts';
import type { Rows } from '../../../src/web/objects/entry.ts';

type Version = VersionsPage['versions'][number];

const version = (key: string, more: Partial<Version> = {}): Version => ({
  key,
  version: 'v',
  is_latest: false,
  is_delete_marker: false,
  size: 5,
  etag: '"e"',
  last_modified: '2026-01-01T00:00:00.000Z',
  storage_class: 'STANDARD',
  ...more,
});
const marker = (key: string, more: Partial<Version> = {}): Version =>
  version(key, {
    is_latest: true,
    is_delete_marker: true,
    size: 0,
    etag: null,
    last_modified: '2026-02-02T00:00:00.000Z',
    ...more,
  });
const page = (versions: Version[], prefixes: string[] = []): VersionsPage => ({
  versions,
  prefixes,
  next_cursor: null,
});
const file = (key: string): Rows['files'][number] => ({
  kind: 'file',
  key,
  name: key,
  size: 1,
  etag: '',
  last_modified: '',
});
const keys = ({ folders, files }: Rows) => [...folders, ...files].map(({ key }) => key);

it('a deleted object is a row with the time of its deletion and the size of the last version, also across pages', () => {
  const pages = [page([marker('a/x.txt')]), page([version('a/x.txt', { size: 7 }), version('a/x.txt', { size: 9 })])];
  expect(deletedEntries(pages, 'a/').files).toEqual([
    {
      kind: 'file',
      key: 'a/x.txt',
      name: 'x.txt',
      size: 7,
      etag: '"e"',
      last_modified: '2026-02-02T00:00:00.000Z',
      deleted: true,
    },
  ]);
});

it('an object that exists, one of which nothing is kept, and the mark of the folder are no deleted rows', () => {
  const versions = [
    marker('a/'),
    version('a/'),
    version('a/live', { is_latest: true }),
    marker('a/live', { is_latest: false }),
    version('a/live'),
    marker('a/lost'),
    version('a/next', { is_latest: true }),
  ];
  expect(deletedEntries([page(versions)], 'a/')).toEqual({ folders: [], files: [] });
});

it('two deletions of one object are one row, with the time of the last', () => {
  const versions = [marker('k'), marker('k', { is_latest: false, last_modified: '2020' }), version('k')];
  expect(deletedEntries([page(versions)], '').files.map((row) => row.last_modified)).toEqual([
    '2026-02-02T00:00:00.000Z',
  ]);
});

it('of the folders with versions, those are deleted that the listing of objects lacks', () => {
  const live: Rows = { folders: [{ kind: 'folder', key: 'b/', name: 'b' }], files: [file('a'), file('c')] };
  const deleted = deletedEntries([page([marker('b.txt'), version('b.txt')], ['a0/', 'b/', 'z/'])], '');
  expect(keys(withDeleted(live, deleted, true))).toEqual(['b/', 'a0/', 'z/', 'a', 'b.txt', 'c']);
  // What comes after the last loaded row may exist.
  expect(keys(withDeleted(live, deleted, false))).toEqual(['b/', 'a0/', 'a', 'b.txt', 'c']);
});

it('an object that is listed again is no deleted row', () => {
  const deleted = deletedEntries([page([marker('a'), version('a')])], '');
  expect(withDeleted({ folders: [], files: [file('a')] }, deleted, true).files).toEqual([file('a')]);
});
