import type { ServerResponse } from 'node:http';

/** Aborts when the client goes away before it has its whole answer; at once when it is gone already. */
export function abortWhenGone(res: ServerResponse, away: AbortController): void {
  if (res.destroyed) away.abort();
  else {
    res.once('close', () => {
      if (!res.writableFinished) away.abort();
    });
  }
}
