import pLimit from 'p-limit';
import { failureOf } from '../../transfer/failure.ts';
import { ApiError } from '../api/api-error.ts';
import { keyPermissions } from '../api/queries.ts';
import type { Action as Permission } from '../permissions/use-permissions.ts';
import { t } from '../words/words.ts';
import type { Task, TaskHandle, TaskTitles } from '../work/task-board.ts';
import { NEEDED_TO_MOVE } from './action.ts';
import { COPIES_AT_ONCE, copyAgain, type CopyPlan, type Moved } from './copy-objects.ts';
import { createFolder, headObject, type BucketRef } from '../api/object-calls.ts';

type Buckets = Pick<CopyPlan, 'from' | 'to'>;

const KEYS_AT_ONCE = 1_000;

/** Whether the user may read and delete all moved objects at their new keys, and write their old keys. */
export async function mayMoveBack(moved: readonly Moved[], { from, to }: Buckets): Promise<boolean> {
  const now = moved.filter(({ etag }) => etag !== undefined).map((one) => one.to);
  return (
    (await mayAll(
      from,
      moved.map((one) => one.from),
      ['objects:write'],
    )) && (await mayAll(to, now, NEEDED_TO_MOVE))
  );
}

/** Whether the user may do all of the actions on each key. */
export async function mayAll(
  bucket: BucketRef,
  keys: readonly string[],
  needs: readonly Permission[],
): Promise<boolean> {
  for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
    const some = keys.slice(start, start + KEYS_AT_ONCE);
    const actions = await keyPermissions(bucket, some, AbortSignal.timeout(10_000));
    if (!some.every((key) => needs.every((action) => actions[key]?.includes(action)))) return false;
  }
  return true;
}

/** Moves objects back to their old keys. An object stays if it has changed since or if its old key is taken. */
export function moveBack(moved: readonly Moved[], buckets: Buckets, titles: TaskTitles): Task {
  return {
    ...titles,
    unit: 'objects',
    work: async (task) => {
      let done = 0;
      task.progress(done, moved.length);
      await pLimit(COPIES_AT_ONCE).map([...moved], async (one) => {
        try {
          await moveOneBack(one, buckets, task);
          task.result(one.from);
        } catch (thrown) {
          task.signal.throwIfAborted();
          task.result(one.from, failureOf(thrown));
        }
        task.progress((done += 1), moved.length);
      });
    },
  };
}

async function moveOneBack({ from, to, etag }: Moved, buckets: Buckets, task: TaskHandle): Promise<void> {
  if (etag === undefined) return restoreMark(buckets.from, from, task);
  const now = { ...buckets.to, key: to };
  const head = await task
    .attempt(() => headObject(now, task.signal))
    .catch((thrown: unknown) => {
      throw failureOf(thrown).code === 'not_found' ? new ApiError('conflict', t('It no longer exists.')) : thrown;
    });
  if (head.etag !== etag)
    throw new ApiError('conflict', t('It was changed after it was moved, so it stays where it is.'));
  try {
    // The move has made the old name free.
    const known = { key: to, etag, size: head.size };
    await copyAgain(
      { known, isFree: true, from: now, to: { ...buckets.from, key: from }, move: true, replace: false },
      task,
    );
  } catch (thrown) {
    throw failureOf(thrown).code === 'precondition_failed'
      ? new ApiError('conflict', t('Its old name is taken by now, so it stays where it is.'))
      : thrown;
  }
}

async function restoreMark(bucket: BucketRef, prefix: string, task: TaskHandle): Promise<void> {
  await task
    .attempt(() => createFolder(bucket, prefix))
    .catch((thrown: unknown) => {
      if (failureOf(thrown).code !== 'precondition_failed') throw thrown;
    });
}
