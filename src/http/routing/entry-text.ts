import { Plain } from '../../bounds/plain.ts';
import type { OperationOutput } from '../../wire/operations.ts';

/** Entries of listings as JSON with snake_case names, as `JSON.stringify` writes them. A page has a thousand of them, so each is one text that is made at once. */

type ListedObject = OperationOutput<'object/list'>['objects'][number];
type ListedVersion = OperationOutput<'object/listVersions'>['versions'][number];

export function objectText(object: ListedObject): string {
  if (object instanceof Plain) return object.json;
  const { key, size, etag, lastModified } = object;
  return JSON.stringify({ key, size, etag, last_modified: lastModified });
}

export function versionText(entry: ListedVersion): string {
  if (entry instanceof Plain) return entry.json;
  const { key, version, isLatest, isDeleteMarker, size, etag, lastModified, storageClass } = entry;
  return JSON.stringify({
    key,
    version,
    is_latest: isLatest,
    is_delete_marker: isDeleteMarker,
    size,
    etag,
    last_modified: lastModified,
    storage_class: storageClass,
  });
}
