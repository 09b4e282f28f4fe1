/** Keeps a promise that fails before anybody awaits it from ending the process. */
export function suppressUnhandledRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
