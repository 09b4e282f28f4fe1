import { open, rm, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { headFile, replaceFile, segmentFile, syncFolder, type Head } from './chain-files.ts';
import type { ChainStart } from './chain-start.ts';
import { bodiesIn, hashOf, lineStart, timeOf } from './chain-walk.ts';
import { LineBuffer } from './line-buffer.ts';
import type { SigningKey } from './signing-key.ts';

export type ChainOptions = {
  readonly folder: string;
  readonly start: ChainStart;
  readonly key: SigningKey;
  /** Public keys whose signatures are trusted. */
  readonly keys: readonly string[];
  readonly segmentBytes: number;
  /** Whether operations that only read have lines. The first line of each segment records it. */
  readonly reads: 'all' | 'none';
  /** Undefined to keep everything. */
  readonly retentionMs: number | undefined;
  /** Names of the sinks to which a segment has to be sent before it is removed. */
  readonly sinks: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Callbacks: a segment was closed, a line was signed (now and then), writing failed or resumed, or an old segment could not be removed. */
  readonly tell: ChainWatch;
};

export type ChainWatch = {
  readonly closed: (head: Head) => void;
  readonly signed: (head: Head) => void;
  readonly failed: (error: unknown) => void;
  readonly resumed: (lost: number) => void;
  readonly notRemoved: (error: unknown) => void;
};

/** How often the head of the open segment is signed again while lines arrive. */
export const SIGN_MS = 1_000;
/** How often a signed line is reported, so that the log can serve as a witness. */
const WITNESS_MS = 300_000;
const DAY_LENGTH = '2026-01-01'.length;

/** The state of the chain after a line: the line's number, hash and time, and the length of the open segment, which is 0 before its first line. */
type Mark = { readonly seq: number; readonly tip: string; readonly bytes: number; readonly to: string };
type Opened = {
  readonly number: number;
  readonly handle: FileHandle;
  readonly before: { readonly seq: number; readonly tip: string };
  readonly from: string;
};

/**
 * Writes numbered lines, each with the hash of the previous one, to one segment after the other.
 *
 * It is one file, because all methods keep the same account of what is written, what is on the disk and what is signed.
 */
export class SegmentWriter {
  readonly #options: ChainOptions;
  #opened: Opened | undefined;
  /** Number of the last segment that was begun. */
  #number: number;
  /** Number of a segment that was begun while the disk failed, until its files are removed. */
  #abandoned: number | undefined;
  /** Number of the last segment that is complete. */
  #closed: number;
  #written: Mark;
  #synced: Mark;
  /** The lines between the two marks, and those that are being written. */
  readonly #lines = new LineBuffer();
  /** Whether the file may contain bytes after the last mark. */
  #isDirty = false;
  #signedAt = -Infinity;
  #signed = 0;
  #witnessedAt = -Infinity;

  constructor(options: ChainOptions) {
    this.#options = options;
    const { seq, tip, segment } = options.start;
    this.#number = this.#closed = segment;
    this.#written = this.#synced = { seq, tip, bytes: 0, to: '' };
    this.#signed = seq;
  }

  /** Number of the last segment that is complete. */
  get closed(): number {
    return this.#closed;
  }

  get unsyncedBytes(): number {
    return this.#written.bytes - this.#synced.bytes;
  }

  /** Whether there are lines on the disk that no head has signed. */
  get hasUnsigned(): boolean {
    return this.#synced.seq > this.#signed;
  }

  /**
   * Writes lines. Begins a new segment first when the current one is full or from another day.
   *
   * @param until - what to wait for: `synced` lines are on the disk, `signed` ones also in a head. Lines that waited for the disk have to be signed, because
   *   verification takes unsigned lines of a long time span for a forgery.
   * @returns the numbers of the lines.
   */
  async write(bodies: readonly string[], until: 'written' | 'synced' | 'signed'): Promise<number[]> {
    if (
      this.#opened !== undefined &&
      (this.#written.bytes >= this.#options.segmentBytes || this.#opened.from.slice(0, DAY_LENGTH) !== this.#today())
    )
      await this.close();
    const { number, handle, from } = (this.#opened ??= await this.#begin());
    // Signs before more is written. Otherwise a process that is killed while it cannot sign could leave unsigned lines from a long time span, which
    // verification takes for a forgery.
    if (this.hasUnsigned && performance.now() - this.#signedAt >= SIGN_MS)
      await this.#sign(this.#opened, this.#synced, false);
    if (this.#isDirty) {
      await handle.truncate(this.#written.bytes);
      this.#isDirty = false;
    }
    // The first line of a segment is later than lines that have waited.
    if (until === 'signed' && this.#written.bytes === 0 && bodies.length > 0) await this.write([], until);
    let { seq, tip } = this.#written;
    const { chain, found } = this.#options.start;
    const isFirst = this.#written.bytes === 0;
    const heading = isFirst
      ? [
          JSON.stringify({
            time: from,
            kind: 'segment',
            chain,
            segment: number,
            reads: this.#options.reads,
            ...(number === this.#options.start.segment + 1 && Object.keys(found).length > 0 && { after: found }),
          }),
        ]
      : [];
    const numbers: number[] = [];
    let last = '';
    for (const body of [...heading, ...bodies]) {
      if (body === '') {
        numbers.push(seq);
        continue;
      }
      seq += 1;
      const line = lineStart(seq, tip) + body.slice(1);
      tip = hashOf(this.#lines.add(line));
      last = line;
      numbers.push(seq);
    }
    const bytes = this.#lines.added;
    this.#isDirty = true;
    for (let at = 0; at < bytes.length;)
      at += (await handle.write(bytes, at, bytes.length - at, this.#written.bytes + at)).bytesWritten;
    this.#isDirty = false;
    this.#written = { seq, tip, bytes: this.#written.bytes + bytes.length, to: timeOf(last) ?? this.#written.to };
    if (until === 'written') this.#lines.keep();
    else await this.sync(until === 'signed');
    return numbers.slice(heading.length);
  }

  /** Waits until the written lines are on the disk, and signs them now and then. If signing fails, the lines do not count as written. */
  async sync(mustSign = false): Promise<void> {
    if (this.#opened === undefined) return;
    await this.#opened.handle.datasync();
    if (this.#written.seq > this.#signed && (mustSign || performance.now() - this.#signedAt >= SIGN_MS))
      await this.#sign(this.#opened, this.#written, false);
    this.#setSynced();
  }

  /**
   * Goes back to what is on the disk.
   *
   * @returns the lines that were written without waiting for the disk, and are given up.
   */
  giveUpUnsynced(): string[] {
    const bodies = bodiesIn(this.#lines.kept);
    // The first line of a segment describes the segment, which gets another one.
    if (this.#synced.bytes === 0) bodies.shift();
    this.#lines.clear();
    this.#written = this.#synced;
    this.#isDirty = true;
    return bodies;
  }

  /** Closes the segment with a signed head. The next line begins a new segment. */
  async close(): Promise<void> {
    if (this.#opened === undefined || this.#written.bytes === 0) return;
    const { handle } = this.#opened;
    if (this.#isDirty) await handle.truncate(this.#written.bytes);
    this.#isDirty = false;
    await handle.datasync();
    this.#setSynced();
    const head = await this.#sign(this.#opened, this.#synced, true);
    await syncFolder(this.#options.folder);
    await handle.close();
    this.#opened = undefined;
    this.#closed = this.#number;
    this.#written = this.#synced = { ...this.#written, bytes: 0 };
    this.#options.tell.closed(head);
  }

  /** Closes the file, whatever it contains. */
  async release(): Promise<void> {
    await this.#opened?.handle.close().catch(() => undefined);
    this.#opened = undefined;
  }

  /** Begins a segment. The head is written before the first line, so a crash never leaves a segment with lines and without a head. */
  async #begin(): Promise<Opened> {
    const { folder, now } = this.#options;
    const number = this.#number + 1;
    if (this.#abandoned === number) await this.#takeBack(number);
    const handle = await open(segmentFile(folder, number), 'wx', 0o600);
    const { seq, tip } = this.#written;
    const opened: Opened = { number, handle, before: { seq, tip }, from: new Date(now()).toISOString() };
    try {
      await this.#sign(opened, { seq, tip, bytes: 0, to: opened.from }, false);
      await syncFolder(folder);
    } catch (error) {
      this.#abandoned = number;
      // If this fails too, the next attempt begins with it.
      await handle
        .close()
        .then(() => this.#takeBack(number))
        .catch(() => undefined);
      throw error;
    }
    this.#number = number;
    this.#signedAt = -Infinity;
    return opened;
  }

  async #takeBack(number: number): Promise<void> {
    const { folder } = this.#options;
    await rm(headFile(folder, number), { force: true });
    await rm(segmentFile(folder, number), { force: true });
    this.#abandoned = undefined;
  }

  async #sign({ number, before, from }: Opened, { seq, tip, bytes, to }: Mark, closed: boolean): Promise<Head> {
    const { folder, key, start, tell } = this.#options;
    const head: Head = {
      chain: start.chain,
      name: basename(folder),
      segment: number,
      first: before.seq + 1,
      last: seq,
      prev: before.tip,
      tip,
      bytes,
      from,
      to,
      closed,
    };
    await replaceFile(headFile(folder, number), JSON.stringify(key.sign(head)));
    this.#signedAt = performance.now();
    this.#signed = seq;
    if (!closed && bytes > 0 && this.#options.now() - this.#witnessedAt >= WITNESS_MS) {
      this.#witnessedAt = this.#options.now();
      tell.signed(head);
    }
    return head;
  }

  #setSynced(): void {
    this.#synced = this.#written;
    this.#lines.clear();
  }

  #today(): string {
    return new Date(this.#options.now()).toISOString().slice(0, DAY_LENGTH);
  }
}
