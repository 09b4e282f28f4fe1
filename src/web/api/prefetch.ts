/** The requests that were sent ahead, by their URL or body. */
const sent = new Map<string, Promise<Response>>();

/** Keeps the answer to a request that was sent before the code that uses it was loaded. */
export function keepPrefetched(asked: string, answer: Promise<Response>): void {
  // The error is reported to the code that takes the answer.
  answer.catch(() => undefined);
  sent.set(asked, answer);
}

/**
 * Sends a GET request for JSON ahead.
 *
 * @param url - equal to the later request.
 * @param before - sees the answer before the later request does, and hands it on.
 */
export function prefetchJson(url: string, before?: (answer: Response) => Promise<Response>): void {
  const answer = fetch(url, { credentials: 'same-origin', redirect: 'error', headers: { accept: 'application/json' } });
  keepPrefetched(url, answer.then(before));
}

/** Drops the answers that were not taken. */
export function dropPrefetched(): void {
  sent.clear();
}

/** Removes and returns the answer to a request that was sent ahead, if there is one. */
export function takePrefetched(asked: string): Promise<Response> | undefined {
  const answer = sent.get(asked);
  sent.delete(asked);
  return answer;
}
