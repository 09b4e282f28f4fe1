import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isSignedBy, type Signed } from './signing-key.ts';

/** What a segment holds, as its writer vouches for it. Lines that follow `last` were not vouched for yet. */
export type Head = {
  /** The id of the chain, and the name of its folder. */
  readonly chain: string;
  readonly name: string;
  /** Number of the segment, from 1. */
  readonly segment: number;
  /** Numbers of the first and of the last line. */
  readonly first: number;
  readonly last: number;
  /** The hash of the line before the first, and of the last line. */
  readonly prev: string;
  readonly tip: string;
  readonly bytes: number;
  /** When the first and the last line were written. */
  readonly from: string;
  readonly to: string;
  /** No further line follows in this segment. */
  readonly closed: boolean;
};

/** What was removed because it was older than the configuration says: all segments up to this one. */
export type Removed = { readonly chain: string; readonly name: string; readonly through: number; readonly last: number; readonly tip: string; readonly at: string };

/** The hash that the first line of a chain holds. */
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

/** The numbers of the segments that are there, in order. A symbolic link is none. */
export function segmentsIn(folder: string): number[] {
  return numbersIn(folder, SEGMENT);
}

/** The numbers of the segments that were signed, in order. */
export function headsIn(folder: string): number[] {
  return numbersIn(folder, HEAD);
}

function numbersIn(folder: string, form: RegExp): number[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && form.test(entry.name))
    .map(({ name }) => Number(name.slice(0, 8)))
    .sort((a, b) => a - b);
}

/** The segments without those in the place of what was removed for its age. */
export function keptSegmentsIn(folder: string): number[] {
  let through = 0;
  try {
    through = readSigned<Removed>(join(folder, REMOVED_FILE))?.through ?? 0;
  } catch {
    // Verifying says so.
  }
  return segmentsIn(folder).filter((segment) => !(segment <= through));
}

export function linksIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
}

/** The folders of the writers beneath the folder of the audit, in order. */
export function chainsIn(root: string): { readonly name: string; readonly folder: string }[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, folder: join(root, name) }))
    .filter(({ folder }) => segmentsIn(folder).length > 0 || headsIn(folder).length > 0 || linksIn(folder).length > 0 || existsSync(join(folder, REMOVED_FILE)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads a signed file. Undefined when it is not there; whether the signature is right is not asked. @throws {SyntaxError} */
export function readSigned<T>(file: string): Signed<T> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Signed<T>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The head of a segment, when one of the keys signed it for this place; otherwise undefined. */
export function trustedHead(folder: string, segment: number, keys: readonly string[]): Head | undefined {
  const head = trusted(headFile(folder, segment), keys) as Head | undefined;
  return head?.name === basename(folder) && head.segment === segment ? head : undefined;
}

/** What was removed for its age, when one of the keys signed it for this chain; otherwise undefined. */
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

/** Puts a file in the place of another one, so that a crash leaves one of both. */
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

/** Waits until names in the folder are on the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const CHUNK_BYTES = 1_048_576;
const LINE_END = 0x0a;

/** Lines as they stand in a file: `bytes` without the line end, and where they begin. */
export type FileLine = { readonly at: number; readonly bytes: Buffer };

/**
 * The lines of a segment, in batches. Bytes after the last line end are no line.
 *
 * @param from - where to begin: 0, or the end of a line.
 */
export function* linesIn(file: string, from = 0, until = statSync(file).size): Generator<FileLine[], void, void> {
  const handle = openSync(file, 'r');
  try {
    let rest = Buffer.alloc(0);
    let restAt = from;
    for (let at = from; at < until; ) {
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
    }
  } finally {
    closeSync(handle);
  }
}
