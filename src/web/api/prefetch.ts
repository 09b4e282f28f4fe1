/**
 * How long a check of the session waits for its answer, because some proxies keep a request for ever, and how long an answer waits for the code that uses it, because somebody
 * else may be signed in later.
 */
export const WAIT_MS = 60_000;

/** The requests that were sent ahead, by their URL or body. */
const sent = new Map<string, Promise<Response>>();

/** Keeps the answer to a request that was sent before the code that uses it was loaded. */
export function keepPrefetched(asked: string, answer: Promise<Response>): void {
  sent.set(asked, answer);
  // The error is reported to the code that takes the answer.
  void answer.catch(() => undefined).then(() => window.setTimeout(() => sent.delete(asked), WAIT_MS));
}

/**
 * Sends a GET request for JSON ahead.
 *
 * @param url - equal to the later request.
 * @param before - sees the answer before the later request does, and hands it on.
 * @param signal - ends the request.
 */
export function prefetchJson(
  url: string,
  before?: (answer: Response) => Promise<Response>,
  signal: AbortSignal | null = null,
): void {
  const request = new Request(url, {
    credentials: 'same-origin',
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal,
  });
  keepPrefetched(request.url, fetch(request).then(before));
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
