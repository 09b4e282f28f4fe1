/** Runs `work` several times at once, and waits for all of them. The first failure aborts `failed`, which the others heed, and is thrown at the end. */
export async function atOnce(count: number, failed: AbortController, work: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => work(index).catch((error: unknown) => failed.abort(error))));
  failed.signal.throwIfAborted();
}
