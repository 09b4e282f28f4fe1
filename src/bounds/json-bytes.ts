import { setImmediate as turn } from 'node:timers/promises';

/** Characters of a piece. A longer text would be copied and collected far more slowly. */
const PIECE_CHARACTERS = 32_768;
/** Other requests run after so many characters. */
const TURN_CHARACTERS = 524_288;
/** Lists up to this depth, as in `{result: {keys: […]}}`, are written in pieces; deeper values are written whole. */
const MAX_DEPTH = 3;
/** Items of a list that are written at once. The largest items, API keys, have 64 KiB each. */
const ITEMS = 8;

/** Writes a value as JSON in UTF-8. A long value is written in pieces, and other requests run between them. */
export async function jsonBytes(value: object): Promise<Buffer> {
  if (!hasLongList(value, MAX_DEPTH)) return Buffer.from(JSON.stringify(value));
  const pieces: Buffer[] = [];
  let text = '';
  let written = 0;
  for (const part of partsOf(value, MAX_DEPTH)) {
    text += part;
    if (text.length < PIECE_CHARACTERS) continue;
    pieces.push(Buffer.from(text));
    written += text.length;
    text = '';
    if (written < TURN_CHARACTERS) continue;
    await turn();
    written = 0;
  }
  return pieces.length === 0 ? Buffer.from(text) : Buffer.concat([...pieces, Buffer.from(text)]);
}

function hasLongList(value: unknown, depth: number): boolean {
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  return Array.isArray(value)
    ? value.length > ITEMS
    : Object.values(value).some((member) => hasLongList(member, depth - 1));
}

function* partsOf(value: unknown, depth: number): Generator<string, void, void> {
  if (depth > 0 && Array.isArray(value)) {
    for (let at = 0; at < value.length; at += ITEMS)
      yield (at === 0 ? '[' : ',') + JSON.stringify(value.slice(at, at + ITEMS)).slice(1, -1);
    yield value.length === 0 ? '[]' : ']';
  } else if (depth > 0 && isPlain(value)) {
    let before = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* partsOf(member, depth - 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else {
    yield JSON.stringify(value);
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
