import { t } from '../words/words.ts';
import { ApiError, apiErrorOf, errorOfBody, reportError } from './api-error.ts';
import { send, type Query } from './request.ts';

/** The last line of an answer: `done`, where to go on, or what failed. Without one the answer was cut off. */
type End = { readonly done?: true; readonly next_cursor?: string; readonly error?: object };

/**
 * Reads an answer in lines of JSON while it arrives. Gives the lines that came together, and returns the cursor to go on with; null at the end.
 *
 * @throws {ApiError} also what failed on the way, and `network` for an answer that was cut off.
 */
export async function* readLines<Line extends object>(segments: readonly string[], query: Query, signal: AbortSignal): AsyncGenerator<readonly Line[], string | null> {
  const { body } = await send(segments, { query, headers: { accept: 'application/x-ndjson, application/json' }, signal });
  try {
    let rest = '';
    for await (const text of body === null ? [] : textsOf(body)) {
      const whole = (rest + text).split('\n');
      rest = whole.pop() ?? '';
      const lines = whole.map((line) => JSON.parse(line) as Line & End);
      const end = lines.at(-1);
      const told = lines.filter(({ done, next_cursor: next, error }) => done === undefined && next === undefined && error === undefined);
      if (told.length > 0) yield told;
      if (end?.error !== undefined) throw errorOfBody(200, JSON.stringify(end.error));
      if (end?.done === true) return null;
      if (end?.next_cursor !== undefined) return end.next_cursor;
    }
    throw new ApiError('network', t('The answer was cut off. Check your connection, then try again.'));
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
