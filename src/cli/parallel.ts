/** Works on items as they come, at most `jobs` at once. The first error of the source ends it, when what was begun is done. */
export async function inParallel<T>(items: AsyncIterable<T> | Iterable<T>, jobs: number, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) await work(next.value);
  };
  const ends = await Promise.allSettled(Array.from({ length: jobs }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
