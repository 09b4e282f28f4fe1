import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isSignedBy, type Signed } from './signing-key.ts';

/** The content of a segment, as its writer signed it. Lines after `last` are not signed yet. */
export type Head = {
  /** The id of the chain, and the name of its folder. */
  readonly chain: string;
  readonly name: string;
  /** Number of the segment, from 1. */
  readonly segment: number;
  /** Numbers of the first and the last line. */
  readonly first: number;
  readonly last: number;
  /** The hash of the line before the first, and the hash of the last line. */
  readonly prev: string;
  readonly tip: string;
  readonly bytes: number;
  /** When the first and the last line were written. */
  readonly from: string;
  readonly to: string;
  /** Whether the segment gets no further lines. */
  readonly closed: boolean;
};

/** Records the segments that retention has removed: all up to the segment `through`. `to` is the time of the last removed line, `at` that of the removal. */
export type Removed = {
  readonly chain: string;
  readonly name: string;
  readonly through: number;
  readonly last: number;
  readonly tip: string;
  readonly to?: string;
  readonly at: string;
};

/** The previous hash in the first line of a chain. */
export const NO_LINE = '0'.repeat(64);

export const REMOVED_FILE = 'removed.json';
export const LOCK_FILE = 'lock';
const SEGMENT = /^\d{8}\.jsonl$/;
const HEAD = /^\d{8}\.head\.json$/;

export function segmentFile(folder: string, segment: number): string {
  return join(folder, `${String(segment).padStart(8, '0')}.jsonl`);
}

export function headFile(folder: string, segment: number): string {
  return join(folder, `${String(segment).padStart(8, '0')}.head.json`);
}

/** The numbers of the existing segments, in order. Symbolic links are ignored. */
export function segmentsIn(folder: string): number[] {
  return numbersIn(folder, SEGMENT);
}

/** The numbers of the signed segments, in order. */
export function headsIn(folder: string): number[] {
  return numbersIn(folder, HEAD);
}

function numbersIn(folder: string, form: RegExp): number[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && form.test(entry.name))
    .map(({ name }) => Number(name.slice(0, 8)))
    .sort((a, b) => a - b);
}

/** The segments after the last one that retention has removed. */
export function keptSegmentsIn(folder: string): number[] {
  let through = 0;
  try {
    through = readSigned<Removed>(join(folder, REMOVED_FILE))?.through ?? 0;
  } catch {
    // `svc audit verify` reports the unreadable file.
  }
  return segmentsIn(folder).filter((segment) => !(segment <= through));
}

export function linksIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => name);
}

/** The folders of the writers inside the folder of the audit, in order. */
export function chainsIn(root: string, isChain = hasChain): { readonly name: string; readonly folder: string }[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, folder: join(root, name) }))
    .filter(({ folder }) => isChain(folder))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function hasChain(folder: string): boolean {
  return (
    segmentsIn(folder).length > 0 ||
    headsIn(folder).length > 0 ||
    linksIn(folder).length > 0 ||
    existsSync(join(folder, REMOVED_FILE))
  );
}

/**
 * Reads a signed file without checking the signature; undefined when the file does not exist.
 *
 * @throws {SyntaxError}
 */
export function readSigned<T>(file: string): Signed<T> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Signed<T>;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The head of a segment, if one of the keys signed it for this segment; otherwise undefined. */
export function trustedHead(folder: string, segment: number, keys: readonly string[]): Head | undefined {
  const head = trusted(headFile(folder, segment), keys) as Head | undefined;
  return head?.name === basename(folder) && head.segment === segment ? head : undefined;
}

/** The record of removed segments, if one of the keys signed it for this chain; otherwise undefined. */
export function trustedRemoved(folder: string, keys: readonly string[]): Removed | undefined {
  const removed = trusted(join(folder, REMOVED_FILE), keys) as Removed | undefined;
  return removed?.name === basename(folder) ? removed : undefined;
}

function trusted(file: string, keys: readonly string[]): object | undefined {
  try {
    const found = readSigned<object>(file);
    return found !== undefined && isSignedBy(keys, found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a file in such a way that a crash leaves either the old or the new one. */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  const next = `${file}.next`;
  const handle = await open(next, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
}

/** Waits until the names in the folder are on the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The length of a segment in bytes; 0 if retention has just removed it. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** A handle for reading; undefined if there is no such file. */
export function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

const CHUNK_BYTES = 1_048_576;
/** The longest line that is read. The service writes none of more than about a megabyte. */
export const MAX_LINE_BYTES = 16 * CHUNK_BYTES;
const LINE_END = 0x0a;

/** A line in a file: its bytes without the line end, and the position where it begins. */
export type FileLine = { readonly at: number; readonly bytes: Buffer };

/**
 * Yields the lines of a segment in batches; none if retention has just removed it. Bytes after the last line end are ignored, and what follows a longer line.
 *
 * @param from - where to begin: 0, or the end of a line.
 */
export function* linesIn(file: string, from = 0, until = sizeOf(file)): Generator<FileLine[], void, void> {
  if (from >= until) return;
  const handle = openIfThere(file);
  if (handle === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    let restAt = from;
    for (let at = from; at < until;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, until - at));
      const read = readSync(handle, chunk, 0, chunk.length, at);
      if (read === 0) return;
      at += read;
      const bytes = rest.length === 0 ? chunk.subarray(0, read) : Buffer.concat([rest, chunk.subarray(0, read)]);
      const lines: FileLine[] = [];
      let begin = 0;
      for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, begin)) {
        lines.push({ at: restAt + begin, bytes: bytes.subarray(begin, end) });
        begin = end + 1;
      }
      rest = bytes.subarray(begin);
      restAt += begin;
      if (lines.length > 0) yield lines;
      if (rest.length > MAX_LINE_BYTES) return;
    }
  } finally {
    closeSync(handle);
  }
}
