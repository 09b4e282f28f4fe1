import { existsSync, lstatSync } from 'node:fs';
import {
  headFile,
  keptSegmentsIn,
  linesIn,
  MAX_LINE_BYTES,
  segmentFile,
  trustedHead,
  type FileLine,
  type Head,
} from '../chain-files.ts';
import { hashOf, timeOf } from '../chain-walk.ts';
import { readCursor, type Cursor, type ChainPosition } from './cursor.ts';

/** Consecutive lines of one segment. */
export type Batch = {
  readonly lines: readonly Buffer[];
  /** Number of the first line. */
  readonly first: number;
  /** The time of the first line in milliseconds since the epoch. */
  readonly since: number;
  readonly begin: ChainPosition;
  readonly end: ChainPosition;
};

/**
 * Reads a chain step by step while another thread or process writes it. It reads only signed lines: those are on the disk, and no failed write takes them back.
 * It is synchronous, so use it in a separate thread.
 */
export class ChainFollower {
  readonly #folder: string;
  readonly #keys: readonly string[];
  /** Whether the chain has no writer. Lines that its last writer did not sign are then read too. */
  readonly #isLeft: boolean;

  constructor(folder: string, keys: readonly string[], isLeft: boolean) {
    this.#folder = folder;
    this.#keys = keys;
    this.#isLeft = isLeft;
  }

  /** The place before the first kept line, and the id of the chain; undefined while there is none. */
  begin(): { readonly chain: string; readonly place: ChainPosition } | undefined {
    for (const segment of keptSegmentsIn(this.#folder)) {
      const head = this.#head(segment);
      if (head !== undefined) return { chain: head.chain, place: { segment, at: 0, line: head.first - 1 } };
    }
    return undefined;
  }

  /** The place where a sink continues. A cursor is ignored when it is not signed, belongs to another chain, is after the end of this one, or follows another line than the sink has. */
  cursorOf(sink: string, chain: string): Cursor | undefined {
    const cursor = readCursor(this.#folder, sink, this.#keys);
    return cursor?.chain === chain && this.#reaches(cursor) && this.#hasLineOf(cursor) ? cursor : undefined;
  }

  /** The next lines, about a megabyte at most; undefined when there are none yet. */
  next(place: ChainPosition, maxLines: number): Batch | undefined {
    for (let { segment, at } = place; ; at = 0) {
      // This order matters: a segment has its last line and is signed before the next one is begun.
      const isFollowed = existsSync(headFile(this.#folder, segment + 1));
      const head = this.#head(segment);
      const found = this.#linesIn(segment, at, { head, isFollowed })?.slice(0, maxLines);
      if (found !== undefined) return batchOf(found, { segment, line: place.line });
      const next = isFollowed ? segment + 1 : head === undefined || head.closed ? this.#after(segment) : undefined;
      if (next === undefined) return undefined;
      segment = next;
    }
  }

  /** The number of bytes after a place. */
  bytesBehind({ segment, at }: ChainPosition): number {
    if (!existsSync(headFile(this.#folder, segment + 1))) return Math.max(0, this.#size(segment) - at);
    return this.#keptFrom(segment).reduce((sum, one) => sum + this.#size(one), 0) - at;
  }

  /** The start of the first segment after a place from which at most `maxBytes` bytes follow, or the start of the last segment. */
  skip(place: ChainPosition, maxBytes: number): ChainPosition {
    const [last, ...others] = this.#keptFrom(place.segment).toReversed();
    if (last === undefined) return place;
    let segment = last;
    let bytes = this.#size(last);
    for (const other of others) {
      bytes += this.#size(other);
      if (bytes > maxBytes) break;
      segment = other;
    }
    return segment > place.segment ? { segment, at: 0, line: place.line } : place;
  }

  /** Whether the chain reaches a place. It does not when an older copy of the chain was put back. */
  #reaches({ segment, at }: ChainPosition): boolean {
    const kept = keptSegmentsIn(this.#folder);
    return kept.includes(segment) ? at <= this.#size(segment) : kept.some((one) => one > segment);
  }

  /** Whether the last line that the sink has is the one before its cursor. It is not when somebody put others in their place. */
  #hasLineOf({ segment, at, tip }: Cursor): boolean {
    // The line may have been removed for its age.
    if (tip === undefined || this.#size(segment) === 0) return true;
    let last: FileLine | undefined;
    const file = segmentFile(this.#folder, segment);
    for (const lines of linesIn(file, Math.max(0, at - MAX_LINE_BYTES), at)) last = lines.at(-1);
    return last !== undefined && hashOf(last.bytes) === tip;
  }

  #linesIn(
    segment: number,
    from: number,
    { head, isFollowed }: { readonly head: Head | undefined; readonly isFollowed: boolean },
  ) {
    if (head === undefined) return undefined;
    const size = this.#size(segment);
    const until = this.#isLeft && !head.closed && !isFollowed ? size : Math.min(head.bytes, size);
    // Reading one batch also closes the file.
    const [lines] = from < until ? linesIn(segmentFile(this.#folder, segment), from, until) : [];
    return lines;
  }

  #head(segment: number): Head | undefined {
    return trustedHead(this.#folder, segment, this.#keys);
  }

  #keptFrom(segment: number): number[] {
    return keptSegmentsIn(this.#folder).filter((one) => one >= segment);
  }

  #after(segment: number): number | undefined {
    return this.#keptFrom(segment + 1)[0];
  }

  /** 0 for a missing file or a link. */
  #size(segment: number): number {
    const stats = lstatSync(segmentFile(this.#folder, segment), { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats.size : 0;
  }
}

function batchOf(
  found: readonly { readonly at: number; readonly bytes: Buffer }[],
  { segment, line }: { readonly segment: number; readonly line: number },
): Batch {
  const [first, last] = [found[0]!, found.at(-1)!];
  const number = numberOf(first.bytes) ?? line + 1;
  return {
    lines: found.map(({ bytes }) => bytes),
    first: number,
    since: Date.parse(timeOf(first.bytes) ?? ''),
    begin: { segment, at: first.at, line: number - 1 },
    end: { segment, at: last.at + last.bytes.length + 1, line: numberOf(last.bytes) ?? number + found.length - 1 },
  };
}

function numberOf(line: Buffer): number | undefined {
  const [, number] = /^\{"seq":(\d{1,15}),/.exec(line.toString('latin1', 0, 32)) ?? [];
  return number === undefined ? undefined : Number(number);
}
