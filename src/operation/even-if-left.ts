import { codeOf } from '../errors/svc-error.ts';

/**
 * Does what a client that leaves cannot take back: storage does it all the same, and the audit has to say so. The end of the session or key
 * ends it.
 */
export async function evenIfLeft<T>(signal: AbortSignal, work: (options: { readonly signal: AbortSignal }) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  // Only what ends a session or key comes with an error of ours.
  const heed = (): void => {
    if (codeOf(signal.reason) !== undefined) ended.abort(signal.reason);
  };
  if (signal.aborted) heed();
  else signal.addEventListener('abort', heed);
  try {
    return await work({ signal: ended.signal });
  } finally {
    signal.removeEventListener('abort', heed);
  }
}
