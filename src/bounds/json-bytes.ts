import { setImmediate as turn } from 'node:timers/promises';
import { takeAll } from './take-all.ts';

/** Characters of a piece. A longer text would be copied and collected far more slowly. */
const PIECE_CHARACTERS = 32_768;
/** Other requests run after so many characters. */
const TURN_CHARACTERS = 524_288;
/** Lists up to this depth, as in `{result: {keys: […]}}`, are written in pieces; deeper values are written whole. */
const MAX_DEPTH = 3;
/** Items of a list that are written at once. The largest items, API keys, have 64 KiB each. */
const ITEMS = 8;
/** Those with a writer are small, and are written a piece at a time. */
const WRITTEN_ITEMS = 128;

const ENCODER = new TextEncoder();

/** Writes an item of a list as JSON. */
export type ItemWriter = (item: never) => string;
type Writers = Readonly<Record<string, ItemWriter>>;

/**
 * Writes a value as JSON in UTF-8. A long value is written in pieces, and other requests run between them.
 *
 * @param writers - for the items of some members, which are lists. Their items are taken.
 */
export async function jsonBytes(value: object, writers?: Writers): Promise<Buffer> {
  if (writers === undefined && !hasLongList(value, MAX_DEPTH)) return Buffer.from(JSON.stringify(value));
  const pieces: string[] = [];
  const buffers: Buffer[] = [];
  let written = 0;
  for (const piece of inPieces(partsOf(value, MAX_DEPTH, writers), PIECE_CHARACTERS)) {
    pieces.push(piece);
    written += piece.length;
    if (written < TURN_CHARACTERS) continue;
    buffers.push(bytesOf(pieces.splice(0)));
    await turn();
    written = 0;
  }
  const last = bytesOf(pieces);
  return buffers.length === 0 ? last : Buffer.concat([...buffers, last]);
}

/** Writes a value as JSON at once; undefined when it has a long list. */
export function jsonText(value: object): string | undefined {
  return hasLongList(value, MAX_DEPTH) ? undefined : JSON.stringify(value);
}

/** Writes texts in UTF-8 one after the other, and many of them in pieces. */
export function textBytes(texts: readonly string[]): Buffer {
  return bytesOf([...inPieces(texts, PIECE_CHARACTERS)]);
}

/** Joins texts to pieces of about so many characters. It asks for no text before the piece that has it. */
export function* inPieces(texts: Iterable<string>, characters: number): Generator<string, void, void> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < characters) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Writes all texts into one buffer, which takes half the time of a buffer for each. Most are ASCII, and their bytes need not be counted. */
function bytesOf(texts: readonly string[]): Buffer {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return writtenInto(length, texts) ?? writtenInto(byteLengthOf(texts), texts)!;
}

/** @returns undefined when they are longer. */
function writtenInto(length: number, texts: readonly string[]): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const text of texts) {
    const { read, written } = ENCODER.encodeInto(text, bytes.subarray(at));
    if (read < text.length) return undefined;
    at += written;
  }
  return bytes;
}

function byteLengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function hasLongList(value: unknown, depth: number): boolean {
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  return Array.isArray(value)
    ? value.length > ITEMS
    : Object.values(value).some((member) => hasLongList(member, depth - 1));
}

function* partsOf(value: unknown, depth: number, writers?: Writers, write?: ItemWriter): Generator<string, void, void> {
  if (depth > 0 && Array.isArray(value)) {
    const items: readonly unknown[] = write === undefined ? value : takeAll(value);
    const atOnce = write === undefined ? ITEMS : WRITTEN_ITEMS;
    for (let at = 0; at < items.length; at += atOnce)
      yield textOf(at === 0 ? '[' : ',', items.slice(at, at + atOnce) as never[], write);
    yield items.length === 0 ? '[]' : ']';
  } else if (depth > 0 && isPlain(value)) {
    let before = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* partsOf(member, depth - 1, undefined, writers?.[name]);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else {
    yield JSON.stringify(value);
  }
}

function textOf(before: string, items: readonly never[], write: ItemWriter | undefined): string {
  if (write === undefined) return before + JSON.stringify(items).slice(1, -1);
  const texts = items.map(write);
  // A join of its own would copy the whole once more.
  texts[0] = before + texts[0]!;
  return texts.join(',');
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
