/**
 * Starts several parts as one. `start` says of each part how it ends (`parts.defer`); the last ends first.
 *
 * When a part does not start, those that did are ended: a test process with open handles never exits.
 */
export async function allOrNone<T extends object>(
  start: (parts: AsyncDisposableStack) => Promise<T>,
): Promise<T & { close(): Promise<void> }> {
  const parts = new AsyncDisposableStack();
  try {
    return Object.assign(await start(parts), { close: () => parts.disposeAsync() });
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}
