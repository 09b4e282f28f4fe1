import { objectTime } from '../../client/modification-time.ts';
import type { Connection } from '../../client/connection.ts';
import { plainEtag } from '../../transfer/plain-etag.ts';
import type { KeyPath } from '../argument/remote-path.ts';
import type { ListedObject } from './listing.ts';
import { compareWith, type Sameness } from './same-content.ts';

/** By what `svc sync` compares, besides the size. */
export type CompareBy = 'time' | 'size' | 'checksum';

/** Reading so many bytes costs less than a request. */
const SMALL_BYTES = 1_048_576;
/** Not every file system keeps a time exactly. */
const SAME_TIME_MS = 1;

/**
 * Compares a file with an object: by size, then by the modification time that the object keeps. If that differs or is not kept, by {@link compareWith}.
 *
 * @param target - which of them would be written.
 */
export async function compareFile(
  connection: Connection,
  file: { readonly path: string; readonly size: number; readonly mtimeMs: number },
  object: KeyPath & ListedObject,
  by: CompareBy,
  target: 'file' | 'object',
): Promise<Sameness> {
  if (file.size !== object.size) return 'different';
  if (by === 'size') return 'same';
  if (by === 'checksum') return compareWith(file.path, object, target);
  const small = file.size <= SMALL_BYTES ? await compareWith(file.path, object, target) : undefined;
  if (small === 'same') return 'same';
  const time = await objectTime(connection, placeOf(object));
  // A file that was downloaded has the time of the object, and one that was uploaded is older.
  const isKnown = time !== undefined && (time.isKept || target === 'file');
  if (isKnown && Math.abs(time.ms - file.mtimeMs) < SAME_TIME_MS) return 'same';
  const found = small ?? (await compareWith(file.path, object, target));
  return found === 'guessed' && isKnown ? 'different' : found;
}

/** Compares two objects: by size and ETag, then by the modification times that they keep, then by the times at which they were written. */
export async function compareObjects(
  connection: Connection,
  from: KeyPath & ListedObject,
  to: KeyPath & ListedObject,
  by: CompareBy,
): Promise<Sameness> {
  if (from.size !== to.size) return 'different';
  const etags = [from, to].map(({ etag }) => plainEtag(etag).toLowerCase());
  if (by === 'size' || etags[0] === etags[1]) return 'same';
  if (by === 'time') {
    const [ours, theirs] = await Promise.all([from, to].map((object) => objectTime(connection, placeOf(object))));
    if (ours?.isKept === true && theirs?.isKept === true)
      return Math.abs(ours.ms - theirs.ms) < SAME_TIME_MS ? 'same' : 'different';
  }
  if (etags.every((etag) => /^[0-9a-f]{32}$/.test(etag))) return 'different';
  return Date.parse(to.lastModified) < Date.parse(from.lastModified) ? 'different' : 'guessed';
}

function placeOf({ provider, bucket, key }: KeyPath): KeyPath {
  return { provider, bucket, key };
}
