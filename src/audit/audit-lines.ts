import { matchesQuestion, type AuditLine, type AuditQuestion } from './audit-query.ts';
import { AuditReader } from './audit-reader.ts';
import { chainsIn, keptSegmentsIn, linesIn, segmentFile, sizeOf } from './chain-files.ts';
import { parseLine } from './parse-line.ts';

/** Yields every line that matches the question, chain by chain, the oldest first. It reads the segments and needs no index. */
export function* matchingLines(root: string, question: Omit<AuditQuestion, 'limit'>): Generator<AuditLine, void, void> {
  for (const { name, folder } of chainsIn(root)) {
    for (const segment of keptSegmentsIn(folder)) {
      for (const batch of linesIn(segmentFile(folder, segment))) {
        for (const { bytes } of batch) {
          const line = parseLine(bytes, name);
          if (line !== undefined && matchesQuestion(line, { ...question, limit: Infinity })) yield line;
        }
      }
    }
  }
}

/** The latest lines that match the question, the latest first. */
export function latestLines(
  root: string,
  question: AuditQuestion,
): { readonly lines: readonly AuditLine[]; readonly nextCursor: string | null } {
  const reader = new AuditReader(root);
  try {
    return reader.ask(question, Infinity);
  } finally {
    reader.close();
  }
}

/** Reads lines that are written after its construction. */
export class NewLines {
  readonly #root: string;
  /** How many bytes of each segment were read. */
  readonly #readBytes = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
    for (const { file } of this.#segments()) this.#readBytes.set(file, sizeOf(file));
  }

  /** The lines written since the last call, sorted by time. */
  next(): AuditLine[] {
    const lines: AuditLine[] = [];
    for (const { name, file } of this.#segments()) {
      const from = this.#readBytes.get(file) ?? 0;
      const size = sizeOf(file);
      if (size <= from) continue;
      for (const batch of linesIn(file, from, size)) {
        const last = batch.at(-1)!;
        this.#readBytes.set(file, last.at + last.bytes.length + 1);
        lines.push(...batch.flatMap(({ bytes }) => parseLine(bytes, name) ?? []));
      }
    }
    return lines.sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
  }

  *#segments(): Generator<{ readonly name: string; readonly file: string }> {
    for (const { name, folder } of chainsIn(this.#root))
      for (const segment of keptSegmentsIn(folder).slice(-2)) yield { name, file: segmentFile(folder, segment) };
  }
}
