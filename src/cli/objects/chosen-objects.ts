import type { Connection } from '../../client/connection.ts';
import type { NameFilter } from '../argument/name-filter.ts';
import { nameOf, type KeyPath } from '../argument/remote-path.ts';
import { globbed } from './glob.ts';
import { listObjects, type ListedObject } from './listing.ts';

/** The objects beneath a folder that the filter takes. */
export async function* chosenBeneath(
  connection: Connection,
  folder: KeyPath,
  filter: NameFilter | undefined,
): AsyncGenerator<ListedObject, void, void> {
  for await (const object of listObjects(connection, folder))
    if (filter?.(object.key.slice(folder.key.length)) !== false) yield object;
}

/** The objects that a glob matches, with -r also all beneath the folders that it matches. */
export async function* matching(
  connection: Connection,
  glob: KeyPath,
  { recursive, filter }: { readonly recursive: boolean; readonly filter: NameFilter | undefined },
): AsyncGenerator<ListedObject, void, void> {
  for await (const entry of globbed(connection, glob, recursive ? 'both' : 'objects'))
    if (entry.type === 'prefix') yield* chosenBeneath(connection, { ...glob, key: entry.key }, filter);
    else if (filter?.(nameOf(entry.key)) !== false) yield entry;
}
