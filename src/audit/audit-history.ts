import { join } from 'node:path';
import {
  chainsIn,
  keptSegmentsIn,
  linesIn,
  readSigned,
  REMOVED_FILE,
  segmentFile,
  trustedHead,
  type FileLine,
  type Removed,
} from './chain-files.ts';
import type { AuditLine } from './audit-query.ts';
import { membersIn, timeOf } from './chain-walk.ts';
import { parseLine } from './parse-line.ts';

/** A span of time in milliseconds since the epoch. `from` is inclusive, `to` exclusive. */
export type Span = { readonly from: number; readonly to: number };

const DAY_MS = 86_400_000;

/** The lines of an audit in a span of time, and whether any are missing. Verify the audit first. */
export class AuditHistory {
  readonly #root: string;
  readonly #keys: readonly string[];
  readonly #span: Span;
  /** The days on which something was written, as day numbers since the epoch. */
  readonly days = new Set<number>();
  /** Whether lines for operations that only read were written: always, or not always; undefined when the files do not say. */
  reads: 'all' | 'none' | undefined = 'all';
  /** How many lines of operations that only read were dropped because they could not be written. */
  lost = 0;

  constructor(root: string, keys: readonly string[], span: Span) {
    this.#root = root;
    this.#keys = keys;
    this.#span = span;
  }

  /** The time since which every chain is complete, in milliseconds since the epoch; undefined without a line. */
  get begins(): number | undefined {
    let [first, complete] = [Infinity, -Infinity];
    for (const { folder } of chainsIn(this.#root)) {
      const removed = readSigned<Removed>(join(folder, REMOVED_FILE));
      const [segment] = keptSegmentsIn(folder);
      const begins =
        (segment === undefined ? undefined : firstTime(segmentFile(folder, segment))) ?? removed?.to ?? removed?.at;
      if (begins === undefined) continue;
      first = Math.min(first, Date.parse(begins));
      if (removed !== undefined) complete = Math.max(complete, Date.parse(begins));
    }
    return first === Infinity ? undefined : Math.max(first, complete);
  }

  /** Yields the lines chain by chain, in the order of each chain. */
  *lines(): Generator<AuditLine, void, void> {
    for (const { name, folder } of chainsIn(this.#root)) {
      for (const segment of keptSegmentsIn(folder)) {
        const head = trustedHead(folder, segment, this.#keys);
        if (head?.closed === true && Date.parse(head.to) < this.#span.from) continue;
        yield* this.#linesOf(segmentFile(folder, segment), name);
      }
    }
  }

  *#linesOf(file: string, instance: string): Generator<AuditLine, void, void> {
    let reads: unknown;
    let isWithin = false;
    for (const batch of linesIn(file)) {
      for (const line of batch) {
        const time = Date.parse(timeOf(line.bytes) ?? '');
        const isAbout = time >= this.#span.from && time < this.#span.to;
        const audited = isAbout ? parseLine(line.bytes, instance) : undefined;
        if (audited === undefined) {
          const note = noteIn(line);
          reads = note?.reads ?? reads;
          if (isAbout) this.lost += note?.lost ?? 0;
        }
        if (!isAbout) continue;
        if (!isWithin && this.reads !== 'none')
          this.reads = reads === 'all' ? this.reads : reads === 'none' ? 'none' : undefined;
        isWithin = true;
        this.days.add(Math.floor(time / DAY_MS));
        if (audited !== undefined) yield audited;
      }
    }
  }
}

function firstTime(file: string): string | undefined {
  for (const [line] of linesIn(file)) return timeOf(line!.bytes);
  return undefined;
}

/** The members of a line in which the service describes the audit itself; undefined for other lines. */
function noteIn({ bytes }: FileLine): { readonly reads?: string; readonly lost?: number } | undefined {
  const start = bytes.toString('latin1', 0, 200);
  return start.includes('"kind":"segment"') || start.includes('"kind":"resumed"') ? membersIn(bytes) : undefined;
}
