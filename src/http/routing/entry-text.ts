import { Plain } from '../../bounds/plain.ts';
import type { OperationOutput } from '../../wire/operations.ts';

/** Entries of listings as JSON with snake_case names, as `JSON.stringify` writes them. A page has a thousand of them, so each is one text that is made at once. */

type ListedObject = OperationOutput<'object/list'>['objects'][number];
type ListedVersion = OperationOutput<'object/listVersions'>['versions'][number];

export function objectText(object: ListedObject): string {
  const { key, size, etag, lastModified } = object;
  if (!(object instanceof Plain)) return JSON.stringify({ key, size, etag, last_modified: lastModified });
  return `{"key":"${key}","size":${size},"etag":"${object.etagWith('\\"')}","last_modified":"${lastModified}"}`;
}

export function versionText(entry: ListedVersion): string {
  const { key, version, isLatest, isDeleteMarker, size, etag, lastModified, storageClass } = entry;
  if (!(entry instanceof Plain))
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
  const written = etag === null ? 'null' : `"${entry.etagWith('\\"')}"`;
  const kept = storageClass === null ? 'null' : `"${storageClass}"`;
  return `{"key":"${key}","version":"${version}","is_latest":${isLatest},"is_delete_marker":${isDeleteMarker},"size":${size},"etag":${written},"last_modified":"${lastModified}","storage_class":${kept}}`;
}
