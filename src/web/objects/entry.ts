import type { ObjectEntry, ObjectList } from '../../wire/http.ts';
import { folderOf, nameIn } from '../place/place.ts';

/** A row of a folder. */
export type FolderEntry = { readonly kind: 'folder'; /** Ends in `/`. */ readonly key: string; readonly name: string };
export type FileEntry = ObjectEntry & { readonly kind: 'file'; readonly name: string; /** The page of the listing that it came with. */ readonly page?: ObjectList };
export type Entry = FolderEntry | FileEntry;

type Rows = { readonly folders: readonly FolderEntry[]; readonly files: readonly FileEntry[] };

/** Rows are made once for each page: a folder of 100,000 keys arrives in 100 pages, and each draws all before it again. */
const made = new WeakMap<ObjectList, Rows>();

/** Rows of the loaded pages, in the order of storage. The folder's own marker object is left out. */
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
    files: page.objects.filter(({ key }) => key !== folder).map((object) => ({ ...object, kind: 'file', name: nameIn(folder, object.key), page })),
  };
  made.set(page, rows);
  return rows;
}
