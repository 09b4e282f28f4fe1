import { t } from '../words/words.ts';
import type { Task, TaskTitles } from '../work/task-board.ts';
import { keysOf, type Selected } from './beneath.ts';
import { tellDenial } from '../api/api-error.ts';
import { deleteKeys, type BucketRef } from '../api/object-calls.ts';

const KEYS_AT_ONCE = 1_000;

/** Deletes the selected files and everything beneath the selected folders. A failure is reported and does not stop the others. */
export function deleteObjects(bucket: BucketRef, selection: readonly Selected[], titles: TaskTitles): Task {
  return {
    ...titles,
    unit: 'objects',
    work: async (task) => {
      const keys = await keysOf(bucket, selection, task);
      let done = 0;
      task.progress(done, keys.length);
      for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
        const some = keys.slice(start, start + KEYS_AT_ONCE);
        const result = await task.attempt(() => deleteKeys(bucket, some, task.signal));
        for (const { key, code } of result.failed) task.result(key, { code, detail: reasonOf(code) });
        if (result.failed.some(({ code }) => code === 'access_denied')) tellDenial();
        for (const key of result.deleted) task.result(key);
        done += some.length;
        task.progress(done, keys.length);
      }
    },
  };
}

function reasonOf(code: string): string {
  return code === 'access_denied' ? t('You may not delete it.') : t('Storage did not delete it.');
}
