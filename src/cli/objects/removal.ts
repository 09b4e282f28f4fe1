import { catalogue, type ErrorCode } from '../../errors/catalogue.ts';
import type { Connection } from '../../client/connection.ts';
import { remoteText, type KeyPath } from '../argument/remote-path.ts';
import type { Edge } from '../terminal/edge.ts';
import { withRetries } from '../../transfer/retry.ts';
import { listObjects, type ListedObject } from './listing.ts';

/** The paths that were deleted so far, and those that could not be. */
export type Removal = {
  readonly deleted: string[];
  readonly failed: { readonly key: string; readonly code: string }[];
};

const KEYS_AT_ONCE = 1000;
/** A message may have 1 MiB; quotes and escapes need some of it. */
const KEY_BYTES_AT_ONCE = 400_000;

/** Deletes everything beneath a folder that the caller may list, and adds it to `removal`, which tells what was done when this throws. */
export function removeBeneath(edge: Edge, connection: Connection, folder: KeyPath, removal: Removal): Promise<void> {
  return removeAll(edge, connection, folder, listObjects(connection, folder), false, removal);
}

export async function removeAll(
  edge: Edge,
  connection: Connection,
  bucket: KeyPath,
  objects: AsyncIterable<ListedObject>,
  dryRun: boolean,
  removal: Removal,
): Promise<void> {
  let keys: string[] = [];
  let bytes = 0;
  for await (const { key } of objects) {
    if (dryRun) {
      removal.deleted.push(remoteText({ ...bucket, key }));
      continue;
    }
    if (keys.length >= KEYS_AT_ONCE || bytes >= KEY_BYTES_AT_ONCE) {
      await removeKeys(edge, connection, bucket, keys, removal);
      keys = [];
      bytes = 0;
    }
    keys.push(key);
    bytes += Buffer.byteLength(JSON.stringify(key)) + 1;
  }
  if (keys.length > 0) await removeKeys(edge, connection, bucket, keys, removal);
}

export async function removeKeys(
  edge: Edge,
  connection: Connection,
  { provider, bucket }: KeyPath,
  keys: readonly string[],
  removal: Removal,
): Promise<void> {
  const [only] = keys;
  const which = keys.length === 1 && only !== undefined ? { key: only } : { keys: [...keys] };
  const { deleted, failed } = await withRetries(
    () => connection.call('object/delete', { provider, bucket, ...which }),
    connection,
  );
  for (const key of deleted) removal.deleted.push(remoteText({ provider, bucket, key }));
  for (const { key, code } of failed) {
    const path = remoteText({ provider, bucket, key });
    edge.printError(`${path}: ${reasonOf(code)}`);
    removal.failed.push({ key: path, code });
  }
}

function reasonOf(code: string): string {
  return Object.hasOwn(catalogue, code) ? catalogue[code as ErrorCode].title.toLowerCase() : code;
}
