import { t } from '../words/words.ts';
import { ApiError, apiErrorOf, errorOfBody, reportError } from './api-error.ts';
import { send, type Query } from './request.ts';

/** The last line of an answer: `done`, the cursor to continue with, or an error. An answer without it was interrupted. */
type End = { readonly done?: true; readonly next_cursor?: string; readonly error?: object };

/**
 * Reads an answer of one JSON text per line while it arrives. It yields the lines that arrive together, and returns the cursor to continue with, or null at the
 * end.
 *
 * @param body - is sent as JSON with a POST request. @throws {ApiError} also for an error in the last line, and `network` if the answer was interrupted.
 */
export async function* readLines<Line extends object>(
  segments: readonly string[],
  query: Query,
  signal: AbortSignal,
  body?: object,
): AsyncGenerator<readonly Line[], string | null> {
  const answer = await send(segments, {
    query,
    headers: {
      accept: 'application/x-ndjson, application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    signal,
    ...(body !== undefined && { method: 'POST', body: new TextEncoder().encode(JSON.stringify(body)) }),
  });
  try {
    let rest = '';
    for await (const text of answer.body === null ? [] : textsOf(answer.body)) {
      const whole = (rest + text).split('\n');
      rest = whole.pop() ?? '';
      const lines = whole.map((line) => JSON.parse(line) as Line & End);
      const end = lines.at(-1);
      const records = lines.filter(
        ({ done, next_cursor: next, error }) => done === undefined && next === undefined && error === undefined,
      );
      if (records.length > 0) yield records;
      if (end?.error !== undefined) throw errorOfBody(200, JSON.stringify(end.error));
      if (end?.done === true) return null;
      if (end?.next_cursor !== undefined) return end.next_cursor;
    }
    throw new ApiError('network', t('The answer was interrupted. Check your connection, then try again.'));
  } catch (thrown) {
    const error = apiErrorOf(thrown);
    reportError(error);
    throw error;
  }
}

async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
