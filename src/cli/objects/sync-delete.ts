import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pLimit from 'p-limit';
import type { Connection } from '../../client/connection.ts';
import { HeldFolder } from '../../client/held-folder.ts';
import { quotedEtag } from '../../client/transfer-request.ts';
import { keyFault } from '../../policy/model/name.ts';
import { fileChanged } from '../../transfer/failure.ts';
import { changeOnce, withRetries } from '../../transfer/retry.ts';
import { remoteText, type KeyPath } from '../argument/remote-path.ts';
import { failureText } from '../terminal/failure-text.ts';
import type { Progress } from '../terminal/progress.ts';
import { requireFile, type CopyFailure, type CopyOptions } from './copy-run.ts';
import { isThere, type ListedObject } from './listing.ts';
import type { LocalFile, SyncQuestion, Target } from './sync-plan.ts';

const KEYS_AT_ONCE = 250;

/**
 * Deletes what only the target has, if it has not changed since. When the source may hide one of the names, nothing is deleted.
 *
 * @param failed - is given each failure, which is printed too.
 * @returns how many were deleted, or would be.
 */
export async function deleteExtra(
  connection: Connection,
  { from, to }: SyncQuestion,
  extra: Target,
  { jobs, dryRun, tell }: Pick<CopyOptions, 'jobs' | 'dryRun' | 'tell'>,
  progress: Progress,
  failed: CopyFailure[],
): Promise<number> {
  const fail = (path: string, code: string, message: string): void => {
    failed.push({ path, code, message });
    progress.say(`${path}: ${message}`);
  };
  const hidden = typeof from === 'string' ? undefined : await firstHidden(connection, from, [...extra.keys()]);
  if (hidden !== undefined) {
    fail(hidden, 'access_denied', 'you may not list this, so it may be there; nothing was deleted');
    return 0;
  }
  const top = typeof to === 'string' && extra.size > 0 ? await realpath(to) : '';
  let deleted = 0;
  const limit = pLimit(jobs);
  const remove = async (name: string, found: LocalFile | ListedObject): Promise<void> => {
    const path = typeof to === 'string' ? join(to, name) : remoteText({ ...to, key: to.key + name });
    try {
      if (!dryRun) {
        if ('path' in found) {
          await removeFile(found, join(top, ...name.split('/')));
        } else {
          const { provider, bucket } = to as KeyPath;
          const object = { provider, bucket, key: found.key };
          const ifMatch = quotedEtag(found.etag);
          await changeOnce(
            () => connection.call('object/delete', { ...object, ifMatch }),
            async (code) => code === 'precondition_failed' && (await isThere(connection, object)) === false,
            connection,
          );
        }
      }
      deleted += 1;
      tell?.({ action: 'delete', path });
    } catch (error) {
      // An interrupted download that this run has finished.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      const { code, message } = failureText(error, path);
      fail(path, code, message);
    }
  };
  await Promise.all(Array.from(extra, ([name, found]) => limit(() => remove(name, found))));
  return deleted;
}

/** @param real - where the file is when no link on the way leads out of the target. */
async function removeFile(found: LocalFile, real: string): Promise<void> {
  const folder = await HeldFolder.open(dirname(found.path));
  try {
    await folder.use(async (at) => {
      const file = join(at, basename(found.path));
      if ((await realpath(file)) !== real) throw fileChanged();
      await requireFile(file, found);
      await rm(file);
    });
  } finally {
    folder.close();
  }
}

/** The first of the names that the source may have without showing it. */
async function firstHidden(
  connection: Connection,
  { provider, bucket, key: prefix }: KeyPath,
  names: readonly string[],
): Promise<string | undefined> {
  // What cannot be a key is nowhere.
  const keys = names.map((name) => prefix + name).filter((key) => keyFault(key, 'keep') === undefined);
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const asked = keys.slice(at, at + KEYS_AT_ONCE);
    const answer = await withRetries(
      () => connection.call('permission/list', { provider, bucket, keys: asked }),
      connection,
    );
    const actions = 'keys' in answer ? answer.keys : {};
    const hidden = asked.find((key) => actions[key]?.includes('objects:list') !== true);
    if (hidden !== undefined) return remoteText({ provider, bucket, key: hidden });
  }
  return undefined;
}
