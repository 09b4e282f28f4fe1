import pLimit from 'p-limit';
import type { QueryClient } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { failureOf } from '../../transfer/failure.ts';
import { ApiError } from '../api/api-error.ts';
import { explainFailure } from '../api/explain-failure.ts';
import type { BucketRef } from '../api/object-calls.ts';
import { refreshListing } from '../api/queries.ts';
import { bucketInfoQuery, newestVersions, restoreVersion } from '../api/version-calls.ts';
import type { Action as Permission } from '../permissions/use-permissions.ts';
import { t } from '../words/words.ts';
import type { Task, TaskHandle, TaskTitles } from '../work/task-board.ts';
import { tasks } from '../work/work.ts';
import { COPIES_AT_ONCE } from './copy-objects.ts';
import { mayAll } from './move-back.ts';
import { OFFERED_MS, showUndo } from './show-undo.tsx';

/** The permissions needed on each object that is brought back after a deletion. */
const NEEDED_TO_UNDELETE: readonly Permission[] = ['objects:versions', 'objects:restore', 'objects:write'];

/** Offers to undo a deletion if the bucket keeps versions and the user may restore all of the keys. @param what - the message, such as `Deleted “a.txt”`. */
export async function offerUndelete(
  what: string,
  bucket: BucketRef,
  keys: readonly string[],
  client: QueryClient,
): Promise<void> {
  if (keys.length === 0) return;
  const { versioning, can_list_versions: canList } = await client.query(bucketInfoQuery(bucket));
  if (versioning !== 'enabled' || !canList || !(await mayAll(bucket, keys, NEEDED_TO_UNDELETE))) return;
  showUndo(
    what,
    () =>
      void undelete(bucket, keys, client, {
        title: t('Undoing: {what}', { what }),
        doneTitle: t('Undone: {what}', { what }),
      }),
  );
}

/** Brings deleted objects back, shows the progress, and says what failed. */
export async function undelete(
  bucket: BucketRef,
  keys: readonly string[],
  client: QueryClient,
  titles: TaskTitles,
): Promise<void> {
  const { failures, results, failure } = await tasks.run(undeleteKeys(bucket, keys, titles));
  await refreshListing(client, bucket);
  const first = failure ?? results.find((result) => result.failure)?.failure;
  if (first === undefined) return;
  const title = failure
    ? t('The files were not restored')
    : t('{failures} of {all} could not be restored', { failures, all: keys.length });
  notifications.show({ color: 'red', title, message: explainFailure(first), autoClose: OFFERED_MS });
}

function undeleteKeys(bucket: BucketRef, keys: readonly string[], titles: TaskTitles): Task {
  return {
    ...titles,
    unit: 'objects',
    work: async (task) => {
      let done = 0;
      task.progress(done, keys.length);
      await pLimit(COPIES_AT_ONCE).map([...keys], async (key) => {
        try {
          await undeleteOne(bucket, key, task);
          task.result(key);
        } catch (thrown) {
          task.signal.throwIfAborted();
          task.result(key, failureOf(thrown));
        }
        task.progress((done += 1), keys.length);
      });
    },
  };
}

/** Restores the newest version beneath the delete marker. It replaces no object that somebody has written meanwhile. */
async function undeleteOne(bucket: BucketRef, key: string, task: TaskHandle): Promise<void> {
  const object = { ...bucket, key };
  const [newest, ...older] = await task.attempt(() => newestVersions(object, task.signal));
  const kept = older.find((version) => !version.is_delete_marker);
  if (newest?.is_delete_marker !== true) throw new ApiError('conflict', t('It exists again, so it stays as it is.'));
  if (kept === undefined) throw new ApiError('not_found', t('The bucket keeps no version of it.'));
  await task.attempt(() => restoreVersion(object, kept.version, { onlyIfMissing: true, signal: task.signal }));
}
