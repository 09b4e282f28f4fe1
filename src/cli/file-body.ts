import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CliFailure, EXIT } from './cli-failure.ts';
import { counted, type OnBytes } from './download.ts';

/** Exactly the bytes that were announced, `end` not included: a file that grows meanwhile is cut there, and one that shrinks is noticed. */
export function bodyOf(file: FileHandle, { start, end }: { readonly start: number; readonly end: number }, onBytes: OnBytes): Readable {
  if (start === end) return Readable.from([], { objectMode: false });
  return Readable.from(counted(onBytes)(file.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: 262_144 })), { objectMode: false });
}

export function fileChanged(): CliFailure {
  return new CliFailure(EXIT.failed, 'the file changed while it was copied; copy it again', 'file_changed');
}
