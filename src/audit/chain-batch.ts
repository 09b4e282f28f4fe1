/**
 * A line without its number and hash, as JSON. `since` is on the clock of {@link performance}. `written` is set when somebody waits until the line is on the disk.
 */
export type Entry = { readonly body: string; readonly since: number; readonly written?: PromiseWithResolvers<number> };

/** The maximum number of lines per write. Their hashes are computed in one turn of the event loop. */
export const MAX_BATCH = 1_000;
/**
 * The maximum time between the first and the last line per write. While lines wait for a disk that is full or stands still, a process that is killed could
 * otherwise leave unsigned lines from a long time span, which verification takes for a forgery.
 */
const MAX_BATCH_MS = 5_000;

/** Takes the lines of the next write off the queue. @returns the queue itself when it is all of it. */
export function takeBatch(queue: Entry[]): Entry[] {
  const [first] = queue;
  const next = queue.findIndex(({ since }, i) => i === MAX_BATCH || since - first!.since > MAX_BATCH_MS);
  return next === -1 ? queue : queue.splice(0, next);
}
