import { hash } from 'node:crypto';
import type { FileLine } from './chain-files.ts';

export type Position = { /** Number of the last line. */ readonly seq: number; /** Its hash. */ readonly tip: string };

/** The beginning of an audit line: its number and the hash of the previous line. */
export function lineStart(seq: number, prev: string): string {
  return `{"seq":${seq},"prev":"${prev}",`;
}

const LINE_START = /^\{"seq":\d+,"prev":"[^"]*",/;

/** The lines without their numbers and hashes. */
export function bodiesIn(lines: Buffer): string[] {
  return lines
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace(LINE_START, '{'));
}

export function hashOf(line: Buffer | string): string {
  return hash('sha256', line, 'hex');
}

/** Follows the lines of a chain in order, up to the first line that does not continue the previous one. */
export class ChainWalk {
  #seq: number;
  #tip: string;
  /** The position after the last line that continues the chain. */
  end = 0;

  constructor({ seq, tip }: Position) {
    this.#seq = seq;
    this.#tip = tip;
  }

  get position(): Position {
    return { seq: this.#seq, tip: this.#tip };
  }

  /** @returns whether the line continues the chain. */
  take({ at, bytes }: FileLine): boolean {
    const start = lineStart(this.#seq + 1, this.#tip);
    if (bytes.toString('latin1', 0, start.length) !== start) return false;
    this.#seq += 1;
    this.#tip = hashOf(bytes);
    this.end = at + bytes.length + 1;
    return true;
  }

  /**
   * Takes lines up to the first that does not continue the chain.
   *
   * @param see - called after each line that continues it.
   * @returns whether all lines do.
   */
  takeAll(batches: Iterable<readonly FileLine[]>, see: (line: FileLine) => void): boolean {
    for (const batch of batches) {
      for (const line of batch) {
        if (!this.take(line)) return false;
        see(line);
      }
    }
    return true;
  }
}

/** The members of a line; undefined when it is no JSON object. */
export function membersIn(line: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

const TIME = /"time":"([^"]{24})"/;

/** The time at which a line was written; undefined when the bytes are no audit line. */
export function timeOf(line: Buffer | string): string | undefined {
  return TIME.exec(typeof line === 'string' ? line.slice(0, 200) : line.toString('latin1', 0, 200))?.[1];
}

/** A service signs each line within two seconds. If unsigned lines span a longer time, somebody put back an older signature. */
const MAX_UNSIGNED_MS = 10_000;

/** The time span of the lines after a signature. */
export class UnsignedTime {
  #from = Infinity;
  #to = -Infinity;

  take(time: string): void {
    this.#from = Math.min(this.#from, Date.parse(time));
    this.#to = Math.max(this.#to, Date.parse(time));
  }

  get isTooLong(): boolean {
    return this.#to - this.#from > MAX_UNSIGNED_MS;
  }

  get seconds(): number {
    return Math.round((this.#to - this.#from) / 1_000);
  }
}
