import type { ObjectEntry } from '../../wire/http.ts';
import type { TaskHandle } from '../work/task-board.ts';
import { listPage, type BucketRef } from '../api/object-calls.ts';

/** A selected row: `key` is the object key of a file, or the prefix of a folder, which ends in `/`. The ETag and the size are those of a file, as it was listed. */
export type Selected = {
  readonly kind: 'file' | 'folder';
  readonly key: string;
  readonly etag?: string;
  readonly size?: number;
};

/** How the listing requests of a walk are retried and stopped. */
export type Walk = Pick<TaskHandle, 'signal' | 'attempt'>;

/** Lists every object beneath a prefix that the user may list, page by page, including folder marker objects. */
export async function* pagesBeneath(
  bucket: BucketRef,
  prefix: string,
  task: Walk,
): AsyncGenerator<readonly ObjectEntry[]> {
  let cursor: string | undefined;
  do {
    const page = await task.attempt(() => listPage(bucket, { prefix, cursor }, task.signal));
    if (page.objects.length > 0) yield page.objects;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** The keys of all selected files and of all objects beneath the selected folders, without duplicates. */
export async function keysOf(bucket: BucketRef, selection: readonly Selected[], task: TaskHandle): Promise<string[]> {
  const keys = new Set<string>();
  for (const { kind, key } of selection) {
    if (kind === 'file') {
      keys.add(key);
      continue;
    }
    for await (const objects of pagesBeneath(bucket, key, task)) for (const object of objects) keys.add(object.key);
  }
  return [...keys];
}
