import { Readable } from 'node:stream';
import { inPieces } from '../../bounds/json-bytes.ts';
import type { Lines } from '../../operation/operation.ts';
import { shapes, type OperationName } from '../../wire/operations.ts';
import type { WireSchema } from '../../wire/schema.ts';
import type { Call } from './call.ts';
import { snakeNames } from './member-names.ts';
import { problemOf } from './problem.ts';
import { send } from './send.ts';

/** The media type of answers with one JSON text per line. */
export const LINES_TYPE = 'application/x-ndjson';

/** The lines of a page are written in pieces of about so many characters. Most pages are one. */
const PIECE_CHARACTERS = 262_144;

/** The schema of a line of the answer. */
export function lineOf(name: OperationName): WireSchema {
  return (shapes[name] as { readonly line: WireSchema }).line;
}

/**
 * Sends an answer in lines, as fast as the client takes them.
 *
 * An error before the first line is answered like any other error. A later error is sent as the last line, and then thrown.
 *
 * @returns false when the client disconnected before the end.
 */
export async function sendLines(call: Call, name: OperationName, lines: Lines): Promise<boolean> {
  const rename = snakeNames(lineOf(name));
  function* textsOf(values: readonly object[]): Generator<string, void, void> {
    for (const value of values) yield `${JSON.stringify(rename(value))}\n`;
  }
  function* bytesOf(values: readonly object[]): Generator<Buffer, void, void> {
    for (const piece of inPieces(textsOf(values), PIECE_CHARACTERS)) yield Buffer.from(piece);
  }
  const first = await lines.next();
  let fault: { readonly error: unknown } | undefined;
  async function* chunks(): AsyncGenerator<Buffer, void, void> {
    try {
      for (let step = first; !step.done; step = await lines.next()) yield* bytesOf(step.value);
    } catch (error) {
      fault = { error };
      yield* bytesOf([{ error: problemOf(error, call.requestId) }]);
    }
  }
  const stream = Readable.from(chunks(), { objectMode: false, highWaterMark: 65_536 });
  try {
    const isSent = await send(call, {
      status: 200,
      stream,
      headers: { 'content-type': LINES_TYPE, 'cache-control': 'no-store' },
    });
    if (fault !== undefined) throw fault.error;
    return isSent;
  } finally {
    // The client may have disconnected before the last step, or have asked for the headers only.
    await lines.return();
  }
}
