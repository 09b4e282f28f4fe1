import type { ObjectEntry, ObjectList } from '../../wire/http.ts';
import { folderOf, nameIn } from '../place/place.ts';

export type FolderEntry = {
  readonly kind: 'folder';
  /** The prefix of the folder, which ends in `/`. */ readonly key: string;
  readonly name: string;
  /** The folder holds only deleted objects. */ readonly deleted?: true;
};
export type FileEntry = ObjectEntry & {
  readonly kind: 'file';
  readonly name: string;
  /** The page of the listing that contains the object. */ readonly page?: ObjectList;
  /** The object was deleted: `last_modified` is when, and the rest is that of the last version that is kept. */ readonly deleted?: true;
};
/** A row of a folder. */
export type Entry = FolderEntry | FileEntry;

export type Rows = { readonly folders: readonly FolderEntry[]; readonly files: readonly FileEntry[] };

/** Caches the rows of each page: a folder of 100,000 keys arrives in 100 pages, and each new page renders all pages before it again. */
const made = new WeakMap<ObjectList, Rows>();

/** The rows of the loaded pages in the order of storage, without the folder's own marker object. */
export function entriesOf(pages: readonly ObjectList[], prefix: string): Rows {
  const rows = pages.map((page) => rowsOf(page, prefix));
  return { folders: rows.flatMap(({ folders }) => folders), files: rows.flatMap(({ files }) => files) };
}

function rowsOf(page: ObjectList, prefix: string): Rows {
  const known = made.get(page);
  if (known !== undefined) return known;
  const folder = folderOf(prefix);
  const rows: Rows = {
    folders: page.prefixes.map((key) => ({ kind: 'folder', key, name: nameIn(folder, key) })),
    files: page.objects
      .filter(({ key }) => key !== folder)
      .map((object) => ({ ...object, kind: 'file', name: nameIn(folder, object.key), page })),
  };
  made.set(page, rows);
  return rows;
}
