import type { ServerResponse } from 'node:http';

/** Aborts `away` when the client disconnects before the answer is complete, or at once if it has disconnected already. */
export function abortWhenGone(res: ServerResponse, away: AbortController): void {
  if (res.destroyed) away.abort();
  else {
    res.once('close', () => {
      if (!res.writableFinished) away.abort();
    });
  }
}
