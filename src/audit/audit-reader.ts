import { accessSync, closeSync, constants, mkdtempSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cursorOf,
  matchesQuestion,
  parseCursor,
  type AuditLine,
  type AuditPage,
  type AuditQuestion,
  type LinePosition,
} from './audit-query.ts';
import { openIfThere, segmentFile } from './chain-files.ts';
import { IndexDatabase, isDamage } from './index-database.ts';
import { parseLine } from './parse-line.ts';
import { LineIndex, type Found } from './line-index.ts';

const INDEX_FILE = 'index.db';
/** The maximum number of changes without a known end that one page reads. */
const MAX_INTENTS = 1_000;
/** A page with long lines, such as those of bulk deletions, ends early at this size. */
const MAX_PAGE_BYTES = 4 * 1_048_576;
/** A page ends after this many lines of the index, however few of them match. */
const MAX_SEEN = 10_000;
/** How long a question waits for lines that are not in the index yet. */
const CATCH_UP_MS = 1_500;

/** Answers questions about an audit from its files. It is synchronous, so run it in a separate thread or process. */
export class AuditReader {
  readonly #root: string;
  readonly #file: string;
  readonly #temporary: string | undefined;
  #index: LineIndex | undefined;

  /** If the folder is not writable, the index is a temporary file, which `close` deletes. */
  constructor(root: string) {
    this.#root = root;
    this.#temporary = isWritable(root) ? undefined : mkdtempSync(join(tmpdir(), 'svc-audit-index-'));
    this.#file = join(this.#temporary ?? root, INDEX_FILE);
  }

  /**
   * Adds new lines to the index.
   *
   * @returns whether the index is complete.
   */
  catchUp(ms = Infinity): boolean {
    return this.#withIndex((index) => index.catchUp(performance.now() + ms));
  }

  /** @param catchUpMs - how long to wait for lines that are not in the index yet. */
  ask(question: AuditQuestion, catchUpMs = CATCH_UP_MS): AuditPage {
    return this.#withIndex((index) => {
      const complete = index.catchUp(performance.now() + catchUpMs);
      return { ...this.#pageOf(index, question), complete };
    });
  }

  close(): void {
    this.#index?.close();
    this.#index = undefined;
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
  }

  /** Rebuilds the index once when it turns out to be damaged. */
  #withIndex<T>(work: (index: LineIndex) => T): T {
    try {
      return work((this.#index ??= new LineIndex(this.#root, this.#file)));
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#index?.close();
      IndexDatabase.remove(this.#file);
      return work((this.#index = new LineIndex(this.#root, this.#file)));
    }
  }

  #pageOf(index: LineIndex, question: AuditQuestion): Pick<AuditPage, 'lines' | 'nextCursor'> {
    const { limit, outcome, cursor, from = 0, to = Number.MAX_SAFE_INTEGER } = question;
    const files = new Files(this.#root);
    try {
      const begin = cursor === undefined ? undefined : parseCursor(cursor);
      const ended =
        outcome === 'unknown' ? { lines: [], stop: undefined } : this.#ended(index, question, { begin, files });
      const before = begin?.time ?? to;
      const intents =
        outcome === undefined || outcome === 'unknown'
          ? index.openIntents(Math.max(from, ended.stop?.time ?? 0), Math.min(before, to), MAX_INTENTS)
          : [];
      const open = intents
        .flatMap((found) => files.lineAt(found) ?? [])
        .filter((line) => matchesQuestion(line, question));
      const lines = [...ended.lines, ...open].sort((a, b) =>
        a.time < b.time ? 1 : a.time > b.time ? -1 : b.seq - a.seq,
      );
      return {
        lines: outcome === 'unknown' ? lines.slice(0, limit) : lines,
        nextCursor: ended.stop === undefined ? null : cursorOf(ended.stop),
      };
    } finally {
      files.close();
    }
  }

  /** Lines of operations that have ended. The index is queried again when it proposed lines that do not match. */
  #ended(
    index: LineIndex,
    question: AuditQuestion,
    { begin, files }: { readonly begin: LinePosition | undefined; readonly files: Files },
  ): { readonly lines: AuditLine[]; readonly stop: LinePosition | undefined } {
    const lines: AuditLine[] = [];
    let bytes = 0;
    let seen = 0;
    for (let stop = begin; ;) {
      const found = index.find(question, stop, question.limit + 1);
      for (const one of found) {
        // The next page goes on where this one stops, whether or not it is full.
        const isEnough = lines.length === question.limit || seen === MAX_SEEN;
        if (isEnough || (bytes + one.length > MAX_PAGE_BYTES && lines.length > 0)) return { lines, stop };
        seen += 1;
        const line = files.lineAt(one);
        if (line !== undefined && matchesQuestion(line, question)) {
          lines.push(line);
          bytes += one.length;
        }
        stop = { time: one.time, id: one.id };
      }
      if (found.length <= question.limit) return { lines, stop: undefined };
    }
  }
}

/** Reads lines from segments and opens each segment once. */
class Files {
  readonly #root: string;
  /** Undefined for a segment that retention has just removed. */
  readonly #handles = new Map<string, number | undefined>();

  constructor(root: string) {
    this.#root = root;
  }

  lineAt({ instance, segment, at, length }: Found): AuditLine | undefined {
    const handle = this.#open(segmentFile(join(this.#root, instance), segment));
    if (handle === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(length);
    return readSync(handle, bytes, 0, length, at) === length ? parseLine(bytes, instance) : undefined;
  }

  close(): void {
    for (const handle of this.#handles.values()) if (handle !== undefined) closeSync(handle);
  }

  #open(file: string): number | undefined {
    if (!this.#handles.has(file)) this.#handles.set(file, openIfThere(file));
    return this.#handles.get(file);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
