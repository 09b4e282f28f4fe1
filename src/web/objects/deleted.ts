import type { Version, VersionsPage } from '../api/version-calls.ts';
import { folderOf, nameIn } from '../place/place.ts';
import type { FileEntry, FolderEntry, Rows } from './entry.ts';

/** A deleted object: when it was deleted, and the last version that is kept of it. */
export type DeletedObject = { readonly marker: Version; readonly kept: Version };

/**
 * Finds deleted objects in a listing of versions. Objects of which no version is kept are left out.
 *
 * @returns a function that takes the versions one by one, also from page to page, and returns a deleted object when it knows all about it.
 */
export function deletedFinder(): (version: Version) => DeletedObject | undefined {
  let marker: Version | undefined;
  return (version) => {
    if (version.is_delete_marker) {
      if (version.is_latest) marker = version;
      return undefined;
    }
    const found = marker?.key === version.key ? { marker, kept: version } : undefined;
    marker = undefined;
    return found;
  };
}

/** The rows of deleted objects, and of folders with versions, of which those that the listing of objects lacks hold only deleted objects. */
export function deletedEntries(pages: readonly VersionsPage[], prefix: string): Rows {
  const folder = folderOf(prefix);
  const find = deletedFinder();
  const files = pages.flatMap(({ versions }) =>
    versions.flatMap((version): FileEntry[] => {
      const found = find(version);
      if (found === undefined || found.kept.key === folder) return [];
      const { key, size, etag } = found.kept;
      return [
        {
          kind: 'file',
          key,
          name: nameIn(folder, key),
          size,
          etag: etag ?? '',
          last_modified: found.marker.last_modified,
          deleted: true,
        },
      ];
    }),
  );
  const folders = pages.flatMap(({ prefixes }) =>
    prefixes.map((key): FolderEntry => ({ kind: 'folder', key, name: nameIn(folder, key), deleted: true })),
  );
  return { folders, files };
}

/**
 * Adds the rows of what was deleted to the rows of what exists.
 *
 * @param complete - whether the listing of objects is loaded as a whole. Otherwise only folders before its last row are known to hold only deleted objects.
 */
export function withDeleted(live: Rows, deleted: Rows, complete: boolean): Rows {
  if (deleted.files.length === 0 && deleted.folders.length === 0) return live;
  const keys = new Set([...live.folders, ...live.files].map(({ key }) => key));
  const last = complete
    ? undefined
    : [live.folders.at(-1)?.key ?? '', live.files.at(-1)?.key ?? ''].reduce((a, b) => (a < b ? b : a));
  const isGone = ({ key }: { readonly key: string }): boolean => !keys.has(key);
  return {
    folders: [
      ...live.folders,
      ...deleted.folders.filter((folder) => isGone(folder) && (last === undefined || folder.key < last)),
    ],
    files: [...live.files, ...deleted.files.filter(isGone)].toSorted((a, b) =>
      a.key < b.key ? -1 : a.key > b.key ? 1 : 0,
    ),
  };
}
