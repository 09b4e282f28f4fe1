import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { partBytesFor, planParts, SINGLE_REQUEST_MAX_BYTES } from '../../transfer/parts.ts';
import { plainEtag } from '../../transfer/plain-etag.ts';

/** The version of an object in storage. `lastModified` is undefined when unknown. */
export type StoredVersion = {
  readonly size: number;
  readonly etag: string;
  readonly lastModified?: string | null | undefined;
};

/** `guessed`: the size is equal and the target is not older; storage gives no checksum to compare. */
export type Sameness = 'same' | 'different' | 'guessed';

/**
 * Compares a file with an object: by size, then by checksum, which the ETag is on most storage, then by time.
 *
 * @param target - which of them would be written. It counts as different when the other one is newer.
 */
export async function compareWith(path: string, object: StoredVersion, target: 'file' | 'object'): Promise<Sameness> {
  const file = await stat(path).catch(() => undefined);
  if (file?.isFile() !== true || file.size !== object.size) return 'different';
  const etag = plainEtag(object.etag).toLowerCase();
  if (/^[0-9a-f]{32}$/.test(etag)) return (await md5Of(path)) === etag ? 'same' : 'different';
  const parts = planParts(file.size, partBytesFor(file.size));
  // Parts of other sizes give another checksum for the same content, so a different checksum proves nothing.
  if (
    file.size > SINGLE_REQUEST_MAX_BYTES &&
    etag.endsWith(`-${parts.length}`) &&
    (await md5OfParts(path, parts)) === etag
  )
    return 'same';
  const changedAt = Date.parse(object.lastModified ?? '');
  const isOlder = target === 'object' ? changedAt < file.mtimeMs : file.mtimeMs < changedAt;
  return isOlder ? 'different' : 'guessed';
}

async function md5Of(path: string, range: { start?: number; end?: number } = {}): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(path, range) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

/** The ETag that storage computes for joined parts. */
async function md5OfParts(
  path: string,
  parts: readonly { readonly start: number; readonly end: number }[],
): Promise<string> {
  const all = createHash('md5');
  for (const { start, end } of parts) all.update(await md5Of(path, { start, end: end - 1 }), 'hex');
  return `${all.digest('hex')}-${parts.length}`;
}
