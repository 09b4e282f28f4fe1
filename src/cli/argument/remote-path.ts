import { isBucketName, isProviderName, keyFault } from '../../policy/model/name.ts';
import { readPlace, type WrittenPlace } from '../../policy/model/written-place.ts';
import { usageFault } from '../terminal/cli-failure.ts';

/** The prefix that distinguishes a remote path from a local one where both are possible. */
export const REMOTE = 'svc:';

export type BucketPath = { readonly provider: string; readonly bucket: string };
/** A key or a prefix; empty for the whole bucket. */
export type KeyPath = BucketPath & { readonly key: string };
export type RemotePath = WrittenPlace;

export function isRemote(text: string): boolean {
  return text.startsWith(REMOTE);
}

/** The remote path that somebody who wrote a local one may have meant: the same path when it names a bucket, otherwise the path in a placeholder bucket. */
export function asRemote(local: string): string {
  const [provider = '', bucket = ''] = local.split('/');
  return isProviderName(provider) && isBucketName(bucket)
    ? REMOTE + local
    : `${REMOTE}PROVIDER/BUCKET/${local.replace(/^\.?\//, '')}`;
}

/**
 * Reads `PROVIDER`, `PROVIDER/BUCKET` or `PROVIDER/BUCKET/KEY`, with or without `svc:` before it. The key is everything after the second slash, byte for byte.
 *
 * @throws {CliFailure} usage
 */
export function parseRemote(text: string): RemotePath {
  const place = readPlace(withoutMark(text));
  if ('fault' in place) throw usageFault(place.fault);
  return place;
}

/** The path without the prefix `svc:`. */
export function withoutMark(text: string): string {
  return isRemote(text) ? text.slice(REMOTE.length) : text;
}

/** @throws {CliFailure} usage when it is not exactly a bucket. */
export function parseBucket(text: string): BucketPath {
  const { provider, bucket, key } = parseRemote(text);
  if (bucket === undefined || key !== '') throw usageFault(`\`${text}\` is not a bucket; write \`PROVIDER/BUCKET\``);
  return { provider, bucket };
}

/**
 * Reads a path with a bucket. The key may be empty.
 *
 * @throws {CliFailure} usage when the bucket is missing.
 */
export function parseBeneath(text: string, form = '`PROVIDER/BUCKET` or `PROVIDER/BUCKET/KEY`'): KeyPath {
  const { provider, bucket, key } = parseRemote(text);
  if (bucket === undefined) throw usageFault(`\`${text}\` names a provider and no bucket; write ${form}`);
  return { provider, bucket, key };
}

/**
 * @param otherwise - what else can be done in this command.
 * @throws {CliFailure} usage when the key is missing.
 */
export function parseObject(text: string, otherwise = ''): KeyPath {
  const path = parseBeneath(text, '`PROVIDER/BUCKET/KEY`');
  if (keyFault(path.key, 'keep') !== undefined)
    throw usageFault(`\`${text}\` names no object; write \`PROVIDER/BUCKET/KEY\`${otherwise}`);
  return path;
}

/**
 * The same in a command that takes a folder with `-r`.
 *
 * @throws {CliFailure} usage when the key is missing.
 */
export function parseObjectOfMany(text: string): KeyPath {
  return parseObject(text, ', or give `-r` for a whole folder');
}

/** The folder that the path names: `2025` and `2025/` both mean everything beneath `2025/`, and never `2025-old/`. */
export function asFolder<P extends KeyPath>(path: P): P {
  return path.key === '' || path.key.endsWith('/') ? path : { ...path, key: `${path.key}/` };
}

/**
 * Splits the arguments of `cp` and `mv`: the last path is the target.
 *
 * @throws {CliFailure} usage
 */
export function sourcesAndTarget(paths: readonly string[]): {
  readonly sources: readonly string[];
  readonly target: string;
} {
  const target = paths.at(-1);
  if (target === undefined || paths.length < 2)
    throw usageFault('the target is missing: give one or more sources, then the target');
  return { sources: paths.slice(0, -1), target };
}

/** The last part of a key. */
export function nameOf(key: string): string {
  return key.split('/').findLast((part) => part !== '') ?? key;
}

/** The name of a source folder beneath a target for several sources; the bucket's name for a whole bucket. */
export function folderNameOf({ bucket, key }: KeyPath): string {
  return nameOf(key === '' ? bucket : key);
}

/** The target's own key, or a key with this name in it when the target is a folder. */
export function keyFor(target: KeyPath, name: string, several: boolean): KeyPath {
  const folder = several ? asFolder(target) : target;
  return folder.key === '' || folder.key.endsWith('/') ? { ...folder, key: folder.key + name } : folder;
}

export function remoteText({ provider, bucket, key }: RemotePath | KeyPath): string {
  return [provider, ...(bucket === undefined ? [] : [bucket]), ...(key === '' ? [] : [key])].join('/');
}
