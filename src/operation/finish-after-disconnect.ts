import type { StopSignal } from '../bounds/stop-signal.ts';
import { codeOf } from '../errors/svc-error.ts';

/**
 * Runs work that continues when the client disconnects: storage completes it in any case, and the audit has to record it. The work is aborted when the session
 * or key ends.
 */
export async function finishAfterDisconnect<T>(
  signal: StopSignal,
  work: (options: { readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  // The abort reason has an error code of ours only when a session or key ends.
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
