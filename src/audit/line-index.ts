import { hash } from 'node:crypto';
import { chainsIn, keptSegmentsIn, linesIn, segmentFile, sizeOf } from './chain-files.ts';
import type { AuditQuestion, LinePosition } from './audit-query.ts';
import { resourceText } from './audit-resource.ts';
import { hashOf } from './chain-walk.ts';
import { IndexDatabase } from './index-database.ts';
import { LEFT_OUT, STEPS } from './operations.ts';
import { parseLine } from './parse-line.ts';

const OBJECT_HASH_BYTES = 6;

/** The position of a line. */
export type Found = LinePosition & {
  readonly instance: string;
  readonly segment: number;
  readonly at: number;
  readonly length: number;
};

/** A segment in the index: how many of its bytes were added, and the hash of the last line of these. */
type SegmentRow = {
  readonly id: number;
  readonly instance: string;
  readonly segment: number;
  readonly bytes: number;
  readonly tip: string;
};

/**
 * Finds lines by object, person and time. It is built from the segments and can be rebuilt at any time. It is not authoritative: readers check the line itself.
 * It is synchronous, so use it in a separate thread or process. It is one file, because adding and finding have to agree on the same rows.
 */
export class LineIndex {
  readonly #root: string;
  readonly #db: IndexDatabase;

  constructor(root: string, file: string) {
    this.#root = root;
    this.#db = IndexDatabase.open(file);
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Adds the lines that were written since the last call.
   *
   * @param until - as `performance.now()`; remaining lines are added by the next call.
   * @returns whether the index is complete.
   */
  catchUp(until = Infinity): boolean {
    const known = new Map(
      (this.#db.all('SELECT id, instance, segment, bytes, tip FROM segments') as SegmentRow[]).map((row) => [
        `${row.instance}/${row.segment}`,
        row,
      ]),
    );
    for (const { name, folder } of chainsIn(this.#root)) {
      for (const segment of keptSegmentsIn(folder)) {
        const file = segmentFile(folder, segment);
        const row = known.get(`${name}/${segment}`);
        known.delete(`${name}/${segment}`);
        const size = sizeOf(file);
        if (row !== undefined && !isContinued(row, file, size)) this.#forget(row);
        if (row === undefined || row.bytes !== size)
          if (!this.#takeIn(name, segment, { file, size, until })) return false;
      }
    }
    for (const row of known.values()) this.#forget(row);
    return true;
  }

  /** The lines that the index proposes for a question, the latest first, beginning after `stop`. */
  find(
    {
      subject,
      issuer,
      about,
      resource = about && resourceText(about),
      operation,
      only,
      outcome,
      from,
      to,
    }: AuditQuestion,
    stop: LinePosition | undefined,
    limit: number,
  ): Found[] {
    const bounds = [
      from ?? 0,
      to ?? Number.MAX_SAFE_INTEGER,
      stop?.time ?? Number.MAX_SAFE_INTEGER,
      stop?.id ?? Number.MAX_SAFE_INTEGER,
    ];
    const filters: string[] = [];
    const values: number[] = [];
    for (const [column, name] of [
      ['operation', operation],
      ['outcome', outcome],
    ] as const) {
      if (name === undefined) continue;
      const id = this.#db.idOf(`${column} ${name}`);
      if (id === undefined) return [];
      filters.push(`AND l.${column} = ?`);
      values.push(id);
    }
    if (only !== undefined) {
      const ids = (names: ReadonlySet<string>) =>
        [...names].flatMap((name) => this.#db.idOf(`operation ${name}`) ?? []).join(', ');
      filters.push(`AND l.operation NOT IN (${ids(LEFT_OUT[only])})`);
      const done = this.#db.idOf('outcome done');
      if (only === 'changes' && done !== undefined)
        filters.push(`AND NOT (l.outcome = ${done} AND l.operation IN (${ids(STEPS)}))`);
    }
    const select = 'SELECT l.id, l.time, l.at, l.length, s.instance, s.segment FROM';
    const rest = `${filters.join(' ')} ORDER BY`;
    if (resource !== undefined) {
      const sql = `${select} objects o JOIN lines l ON l.id = o.line JOIN segments s ON s.id = l.segment WHERE o.object = ? AND o.time >= ? AND o.time < ? AND (o.time, o.line) < (?, ?) ${rest} o.time DESC, o.line DESC LIMIT ?`;
      return this.#db.all(sql, objectHash(resource), ...bounds, ...values, limit) as Found[];
    }
    if (subject !== undefined) {
      const sql = `${select} lines l INDEXED BY lines_by_person JOIN segments s ON s.id = l.segment WHERE l.person = ? AND l.time >= ? AND l.time < ? AND (l.time, l.id) < (?, ?) ${rest} l.time DESC, l.id DESC LIMIT ?`;
      const found = this.#people(subject, issuer).flatMap(
        (person) => this.#db.all(sql, person, ...bounds, ...values, limit) as Found[],
      );
      return found.sort((a, b) => b.time - a.time || b.id - a.id).slice(0, limit);
    }
    const sql = `${select} lines l INDEXED BY lines_by_time JOIN segments s ON s.id = l.segment WHERE l.time >= ? AND l.time < ? AND (l.time, l.id) < (?, ?) ${rest} l.time DESC, l.id DESC LIMIT ?`;
    return this.#db.all(sql, ...bounds, ...values, limit) as Found[];
  }

  /** Changes that were begun in a span of time and whose end is not known. */
  openIntents(from: number, to: number, limit: number): Found[] {
    return this.#db.all(
      'SELECT 0 AS id, i.time, i.at, i.length, s.instance, s.segment FROM intents i JOIN segments s ON s.id = i.segment WHERE i.time >= ? AND i.time < ? ORDER BY i.time DESC LIMIT ?',
      from,
      to,
      limit,
    ) as Found[];
  }

  /**
   * Adds the lines of a segment, in one transaction per batch.
   *
   * @returns whether all were added.
   */
  #takeIn(
    instance: string,
    segment: number,
    { file, size, until }: { readonly file: string; readonly size: number; readonly until: number },
  ): boolean {
    this.#db.run(
      'INSERT OR IGNORE INTO segments (instance, segment, bytes, tip) VALUES (?, ?, 0, ?)',
      instance,
      segment,
      '',
    );
    for (;;) {
      const isAll = this.#db.transact(() => {
        // Another process may have added lines in the meantime.
        const row = this.#db.all(
          'SELECT id, bytes FROM segments WHERE instance = ? AND segment = ?',
          instance,
          segment,
        )[0] as { id: number; bytes: number } | undefined;
        const [lines = []] = row === undefined ? [] : linesIn(file, row.bytes, size);
        for (const { at, bytes } of lines) this.#add(row!.id, instance, { at, bytes });
        const last = lines.at(-1);
        if (last !== undefined)
          this.#db.run(
            'UPDATE segments SET bytes = ?, tip = ? WHERE id = ?',
            last.at + last.bytes.length + 1,
            hashOf(last.bytes),
            row!.id,
          );
        return last === undefined;
      });
      if (isAll) return true;
      if (performance.now() > until) return false;
    }
  }

  #add(segment: number, instance: string, { at, bytes }: { readonly at: number; readonly bytes: Buffer }): void {
    const line = parseLine(bytes, instance);
    if (line === undefined) return;
    const time = Date.parse(line.time);
    if (line.kind === 'intent') {
      this.#db.run(
        'INSERT OR REPLACE INTO intents VALUES (?, ?, ?, ?, ?, ?, ?)',
        instance,
        line.seq,
        Number(line['line'] ?? 1),
        segment,
        at,
        bytes.length,
        time,
      );
      return;
    }
    const intent = line['intent'];
    if (typeof intent === 'number') this.#ended(instance, intent);
    const { lastInsertRowid: id } = this.#db.run(
      'INSERT INTO lines (segment, at, length, time, person, operation, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)',
      segment,
      at,
      bytes.length,
      time,
      this.#db.nameId(personName(line.issuer, line.subject)),
      this.#db.nameId(`operation ${line.operation}`),
      this.#db.nameId(`outcome ${line.outcome ?? ''}`),
    );
    for (const resource of new Set(line.resources.map((one) => one.resource)))
      this.#db.run('INSERT OR IGNORE INTO objects VALUES (?, ?, ?)', objectHash(resource), time, id);
  }

  /** Deletes an intent whose end is known. The lines of one intent have consecutive numbers, up to the first line of the next intent. */
  #ended(instance: string, intent: number): void {
    const next = 'SELECT coalesce(min(seq), 9007199254740991) FROM intents WHERE instance = ? AND seq > ? AND line = 1';
    this.#db.run(
      `DELETE FROM intents WHERE instance = ? AND seq >= ? AND seq < (${next})`,
      instance,
      intent,
      instance,
      intent,
    );
  }

  /** Removes a segment from the index. Its rows in `objects` match no line any more; they are deleted when they are the oldest. */
  #forget({ id }: SegmentRow): void {
    this.#db.transact(() => {
      for (const sql of [
        'DELETE FROM lines WHERE segment = ?',
        'DELETE FROM intents WHERE segment = ?',
        'DELETE FROM segments WHERE id = ?',
      ])
        this.#db.run(sql, id);
      this.#db.run('DELETE FROM objects WHERE line < (SELECT coalesce(min(id), 9007199254740991) FROM lines)');
    });
  }

  #people(subject: string, issuer: string | undefined): number[] {
    if (issuer !== undefined) return [this.#db.idOf(personName(issuer, subject)) ?? -1];
    return (
      this.#db.all(
        "SELECT id FROM names WHERE text GLOB 'person *' AND substr(text, -length(?)) = ?",
        `\n${subject}`,
        `\n${subject}`,
      ) as { id: number }[]
    ).map(({ id }) => id);
  }
}

/**
 * Whether the file still has what was added. After a failure of the disk it may not: the writer then cuts off what was not on the disk, and writes it again
 * behind another line.
 */
function isContinued({ bytes, tip }: SegmentRow, file: string, size: number): boolean {
  if (size <= bytes || bytes === 0) return size >= bytes;
  const [[next] = []] = linesIn(file, bytes, size);
  return next === undefined || next.bytes.toString('latin1', 0, 200).includes(`"prev":"${tip}"`);
}

/** A number that is the same for all lines of an object and for few other lines. */
function objectHash(resource: string): number {
  return hash('sha1', resource, 'buffer').readUIntBE(0, OBJECT_HASH_BYTES);
}

function personName(issuer: string, subject: string): string {
  return `person ${issuer}\n${subject}`;
}
