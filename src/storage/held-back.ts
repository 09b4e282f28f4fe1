/** A promise that may fail before anybody waits for it, which must not end the process. */
export function heldBack<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
