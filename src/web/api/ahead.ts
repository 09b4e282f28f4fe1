/** Answers that are on their way, by what was asked. */
const sent = new Map<string, Promise<Response>>();

/** Keeps the answer to a request that was sent while the code that waits for it is still on its way. */
export function sendAhead(asked: string, answer: Promise<Response>): void {
  // Who takes it is told.
  answer.catch(() => undefined);
  sent.set(asked, answer);
}

/** The answer to a request that was sent ahead. It is taken once. */
export function takeAhead(asked: string): Promise<Response> | undefined {
  const answer = sent.get(asked);
  sent.delete(asked);
  return answer;
}
