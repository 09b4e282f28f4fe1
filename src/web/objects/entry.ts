import type { ObjectEntry, ObjectList } from '../../wire/http.ts';
import { baseName, folderOf, nameIn, parentOf, type Place } from '../place/place.ts';

/** The folder of a row that a search found. All rows of a folder are in that folder. */
type FoundIn = { readonly place?: Place };
export type FolderEntry = FoundIn & {
  readonly kind: 'folder';
  /** The prefix of the folder, which ends in `/`. */ readonly key: string;
  readonly name: string;
  /** The folder holds only deleted objects. */ readonly deleted?: true;
};
export type FileEntry = ObjectEntry &
  FoundIn & {
    readonly kind: 'file';
    readonly name: string;
    /** The page of the listing that contains the object. */ readonly page?: ObjectList;
    /** The object was deleted: `last_modified` is when, and the rest is that of the last version that is kept. */ readonly deleted?: true;
  };
/** A row of a folder. */
export type Entry = FolderEntry | FileEntry;

/** Tells rows apart. Rows that a search found may have the same key in different buckets. */
export function idOf({ place, key }: Pick<Entry, 'place' | 'key'>): string {
  return place === undefined ? key : `${place.provider}/${place.bucket}/${key}`;
}

/** The row of a search result. @param object - undefined for a folder. */
export function foundEntry(bucket: Omit<Place, 'prefix'>, key: string, object: ObjectEntry | undefined): Entry {
  const row = { key, name: baseName(key), place: { ...bucket, prefix: parentOf(key) ?? '' } };
  return object === undefined ? { kind: 'folder', ...row } : { ...object, kind: 'file', ...row };
}

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
