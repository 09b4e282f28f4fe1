import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSignedBy, type SigningKey } from '../signing-key.ts';
import { readSigned, replaceFile } from '../chain-files.ts';

/** A place in a chain: after line `line`, which ends at byte `at` of a segment. */
export type ChainPosition = { readonly segment: number; readonly at: number; readonly line: number };

/**
 * How far a sink has sent a chain. It is signed, because otherwise somebody could move it so that lines are never sent. An older cursor only causes lines to be
 * sent twice.
 */
export type Cursor = ChainPosition & {
  /** The hash of line `line`, if that line was sent. */ readonly tip?: string | undefined;
  readonly sink: string;
  readonly name: string;
  readonly chain: string;
  /** Number of lines that were never sent. */ readonly skipped: number;
};

const CURSOR_NAME = /^sink\.(.+)\.json$/;

function cursorFile(folder: string, sink: string): string {
  return join(folder, `sink.${sink}.json`);
}

/** Reads the cursor of a sink; undefined when there is none that one of the keys signed. */
export function readCursor(folder: string, sink: string, keys: readonly string[]): Cursor | undefined {
  try {
    const signed = readSigned<Cursor>(cursorFile(folder, sink));
    if (signed === undefined || !isSignedBy(keys, signed) || signed.sink !== sink || signed.name !== basename(folder))
      return undefined;
    // The next cursor gets a new signature, so the old one must not be part of it.
    const { key: _key, signature: _signature, ...cursor } = signed;
    return cursor;
  } catch {
    return undefined;
  }
}

export async function writeCursor(folder: string, cursor: Cursor, key: SigningKey): Promise<void> {
  await replaceFile(cursorFile(folder, cursor.sink), JSON.stringify(key.sign(cursor)));
}

/** The last line that a sink has received. */
export type SentLine = Pick<Cursor, 'sink' | 'chain' | 'line'> & { readonly tip: string };

/** The last line that each sink has received, as far as the files beside the chain say. */
export function linesSent(folder: string, keys: readonly string[]): SentLine[] {
  return readdirSync(folder).flatMap((name) => {
    const cursor = readCursor(folder, CURSOR_NAME.exec(name)?.[1] ?? '', keys);
    return cursor?.tip === undefined ? [] : [{ ...cursor, tip: cursor.tip }];
  });
}

/** The name of a sink that has not sent all of a segment; undefined when all sinks have. */
export function sinkWithout(
  { folder, segment, bytes }: { readonly folder: string; readonly segment: number; readonly bytes: number },
  sinks: readonly string[],
  keys: readonly string[],
): string | undefined {
  return sinks.find((sink) => {
    const cursor = readCursor(folder, sink, keys);
    return cursor === undefined || cursor.segment < segment || (cursor.segment === segment && cursor.at < bytes);
  });
}
