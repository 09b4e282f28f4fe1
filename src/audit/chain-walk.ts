import { hash } from 'node:crypto';
import type { FileLine } from './chain-files.ts';

export type Position = { /** Number of the last line. */ readonly seq: number; /** Its hash. */ readonly tip: string };

/** How a line of the audit begins: its number, and the hash of the line before. */
export function lineStart(seq: number, prev: string): string {
  return `{"seq":${seq},"prev":"${prev}",`;
}

export function hashOf(line: Buffer | string): string {
  return hash('sha256', line, 'hex');
}

/** Goes through the lines of a chain in order, and stops at the first one that does not follow the one before. */
export class ChainWalk {
  #seq: number;
  #tip: string;
  /** Where the last line that follows ends. */
  end = 0;

  constructor({ seq, tip }: Position) {
    this.#seq = seq;
    this.#tip = tip;
  }

  get position(): Position {
    return { seq: this.#seq, tip: this.#tip };
  }

  /** @returns whether the line follows. */
  take({ at, bytes }: FileLine): boolean {
    const start = lineStart(this.#seq + 1, this.#tip);
    if (bytes.toString('latin1', 0, start.length) !== start) return false;
    this.#seq += 1;
    this.#tip = hashOf(bytes);
    this.end = at + bytes.length + 1;
    return true;
  }
}

const TIME = /"time":"([^"]{24})"/;

/** When a line was written; undefined for what is no line. */
export function timeOf(line: Buffer | string): string | undefined {
  return TIME.exec(typeof line === 'string' ? line.slice(0, 200) : line.toString('latin1', 0, 200))?.[1];
}

/** A service signs each line within two seconds. Where lines of a longer time follow a signature, somebody put back an older one. */
const MAX_UNSIGNED_MS = 10_000;

/** Within what time the lines were written that follow a signature. */
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
