import { basename, join } from 'node:path';
import { isSignedBy, type SigningKey } from '../signing-key.ts';
import { readSigned, replaceFile } from '../chain-files.ts';

/** A place in a chain: behind a line, which ends at a byte of a segment. */
export type Place = { readonly segment: number; readonly at: number; readonly line: number };

/** Up to where a sink has sent a chain. It is signed: otherwise somebody could move it, for lines never to be sent. An older one only has lines sent twice. */
export type Cursor = Place & { readonly sink: string; readonly name: string; readonly chain: string; /** Lines that were never sent. */ readonly skipped: number };

function cursorFile(folder: string, sink: string): string {
  return join(folder, `sink.${sink}.json`);
}

/** The cursor of a sink; undefined when there is none that one of the keys signed for it. */
export function readCursor(folder: string, sink: string, keys: readonly string[]): Cursor | undefined {
  try {
    const signed = readSigned<Cursor>(cursorFile(folder, sink));
    if (signed === undefined || !isSignedBy(keys, signed) || signed.sink !== sink || signed.name !== basename(folder)) return undefined;
    // Whoever goes on from it signs the next one, and not this signature with it.
    const { key: _key, signature: _signature, ...cursor } = signed;
    return cursor;
  } catch {
    return undefined;
  }
}

export async function writeCursor(folder: string, cursor: Cursor, key: SigningKey): Promise<void> {
  await replaceFile(cursorFile(folder, cursor.sink), JSON.stringify(key.sign(cursor)));
}

/** The name of a sink that has not sent a segment to its end; undefined when all have. */
export function sinkWithout({ folder, segment, bytes }: { readonly folder: string; readonly segment: number; readonly bytes: number }, sinks: readonly string[], keys: readonly string[]): string | undefined {
  return sinks.find((sink) => {
    const cursor = readCursor(folder, sink, keys);
    return cursor === undefined || cursor.segment < segment || (cursor.segment === segment && cursor.at < bytes);
  });
}
