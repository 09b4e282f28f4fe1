import type { ObjectEntry } from '../../wire/http.ts';
import type { TaskHandle } from '../work/task-board.ts';
import { listPage, type BucketRef } from './object-calls.ts';

/** A selection: files by their key, folders by their prefix, which ends in `/`. */
export type Selected = { readonly kind: 'file' | 'folder'; readonly key: string };

/** How a walk asks: with what tries again, until it is stopped. */
export type Walk = Pick<TaskHandle, 'signal' | 'attempt'>;

/** Every object beneath a prefix that the caller may list, a page at a time; the folder's own marker object is among them. */
export async function* pagesBeneath(bucket: BucketRef, prefix: string, task: Walk): AsyncGenerator<readonly ObjectEntry[]> {
  let cursor: string | undefined;
  do {
    const page = await task.attempt(() => listPage(bucket, { prefix, cursor }, task.signal));
    if (page.objects.length > 0) yield page.objects;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** The keys of a selection, folders walked to the bottom; no key twice. */
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
