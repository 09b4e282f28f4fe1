import pLimit from 'p-limit';
import type { QueryClient } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { failureOf } from '../../transfer/failure.ts';
import { mayBeCopy } from '../../transfer/plain-etag.ts';
import { ApiError } from '../api/api-error.ts';
import { explainFailure } from '../api/explain-failure.ts';
import type { BucketRef } from '../api/object-calls.ts';
import { refreshListing } from '../api/queries.ts';
import {
  bucketInfoQuery,
  newestVersions,
  restoreVersion,
  VERSIONS_AT_ONCE,
  versionsPage,
} from '../api/version-calls.ts';
import { deletedFinder } from '../objects/deleted.ts';
import { tellBack } from '../objects/gone.ts';
import { t } from '../words/words.ts';
import { doneIn, type Task, type TaskHandle, type TaskTitles } from '../work/task-board.ts';
import { tasks } from '../work/work.ts';
import { NEEDED_TO_UNDELETE, type Selection, type Surroundings } from './action.ts';
import type { Selected } from './beneath.ts';
import { COPIES_AT_ONCE } from './copy-objects.ts';
import { mayAll } from './move-back.ts';
import { askAboutLeftOut } from './left-out.tsx';
import { naming } from './naming.ts';
import { OFFERED_MS, showUndo } from './show-undo.tsx';

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
      void undelete(
        bucket,
        keys.map((key) => ({ kind: 'file', key })),
        client,
        {
          title: t('Undoing: {what}', { what }),
          doneTitle: t('Undone: {what}', { what }),
        },
      ),
  );
}

/** Brings the deleted objects of a selection back, and what was deleted beneath its folders. */
export function restoreDeleted(selection: Selection, around: Surroundings): void {
  askAboutLeftOut(selection, t('Restore'), async () => {
    const { place, entries } = selection;
    const what = { what: naming(entries) };
    await undelete(place, entries, around.queryClient, {
      title: t('Restoring {what}', what),
      doneTitle: t('Restored {what}', what),
    });
  });
}

/** Brings deleted objects back, shows the progress, and says what failed. */
export async function undelete(
  bucket: BucketRef,
  selection: readonly Selected[],
  client: QueryClient,
  titles: TaskTitles,
): Promise<void> {
  const { failures, results, failure } = await tasks.run(undeleteAll(bucket, selection, titles));
  tellBack(bucket, doneIn({ results }));
  await refreshListing(client, bucket);
  const first = failure ?? results.find((result) => result.failure)?.failure;
  if (first === undefined) return;
  const title = failure
    ? t('The files were not restored')
    : t('{failures} of {all} could not be restored', { failures, all: results.length });
  notifications.show({ color: 'red', title, message: explainFailure(first), autoClose: OFFERED_MS });
}

function undeleteAll(bucket: BucketRef, selection: readonly Selected[], titles: TaskTitles): Task {
  return {
    ...titles,
    unit: 'objects',
    work: async (task) => {
      const keys = await deletedKeysOf(bucket, selection, task);
      let done = 0;
      task.progress(done, keys.length);
      await pLimit(COPIES_AT_ONCE).map(keys, async (key) => {
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

/** The keys of the selected files, and of all deleted objects beneath the selected folders. */
async function deletedKeysOf(bucket: BucketRef, selection: readonly Selected[], task: TaskHandle): Promise<string[]> {
  const keys: string[] = [];
  for (const { kind, key } of selection) {
    if (kind === 'file') {
      keys.push(key);
      continue;
    }
    const find = deletedFinder();
    let cursor: string | undefined;
    do {
      const question = { prefix: key, limit: VERSIONS_AT_ONCE, cursor };
      const page = await task.attempt(() => versionsPage(bucket, question, task.signal));
      keys.push(...page.versions.flatMap((version) => find(version)?.kept.key ?? []));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  return keys;
}

/**
 * Restores the newest version beneath the delete marker. It replaces no object that somebody has written meanwhile.
 * If the answer to a try is lost, or a proxy sends a request again, the object is there already.
 */
async function undeleteOne(bucket: BucketRef, key: string, task: TaskHandle): Promise<void> {
  const object = { ...bucket, key };
  const [newest, ...older] = await task.attempt(() => newestVersions(object, task.signal));
  const kept = older.find((version) => !version.is_delete_marker);
  if (newest?.is_delete_marker !== true) throw new ApiError('conflict', t('It exists again, so it stays as it is.'));
  if (kept === undefined) throw new ApiError('not_found', t('The bucket keeps no version of it.'));
  await task.attempt(async () => {
    try {
      await restoreVersion(object, kept.version, { onlyIfMissing: true, signal: task.signal });
    } catch (thrown) {
      if (failureOf(thrown).code !== 'precondition_failed') throw thrown;
      const [now] = await newestVersions(object, task.signal);
      if (now === undefined || !mayBeCopy(now, kept)) throw thrown;
    }
  });
}
