import type { ObjectEntry, ObjectList } from '../../wire/storage.ts';
import { folderOf, nameIn } from '../place/place.ts';

/** A row of a folder. */
export type FolderEntry = { readonly kind: 'folder'; /** Ends in `/`. */ readonly key: string; readonly name: string };
export type FileEntry = ObjectEntry & { readonly kind: 'file'; readonly name: string };
export type Entry = FolderEntry | FileEntry;

/** Rows of the loaded pages, in the order of storage. The folder's own marker object is left out. */
export function entriesOf(pages: readonly ObjectList[], prefix: string): { folders: FolderEntry[]; files: FileEntry[] } {
  const folder = folderOf(prefix);
  const folders: FolderEntry[] = [];
  const files: FileEntry[] = [];
  for (const page of pages) {
    for (const key of page.prefixes) folders.push({ kind: 'folder', key, name: nameIn(folder, key) });
    for (const object of page.objects) if (object.key !== folder) files.push({ ...object, kind: 'file', name: nameIn(folder, object.key) });
  }
  return { folders, files };
}
