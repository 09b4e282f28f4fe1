import { hash } from 'node:crypto';
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { chainsIn, keptSegmentsIn, linesIn, segmentFile, sizeOf } from './chain-files.ts';
import type { AuditLine, AuditQuestion, Stop } from './audit-query.ts';
import { readEntry, resourceText } from './audit-resource.ts';
import { hashOf, membersIn } from './chain-walk.ts';

/** Increased when the tables change. An index of another version is rebuilt. */
const VERSION = 4;
const OBJECT_HASH_BYTES = 6;

/** The position of a line. */
export type Found = Stop & {
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

const TABLES = `
  CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, instance TEXT NOT NULL, segment INTEGER NOT NULL, bytes INTEGER NOT NULL, tip TEXT NOT NULL, UNIQUE (instance, segment));
  CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
  CREATE TABLE lines (id INTEGER PRIMARY KEY AUTOINCREMENT, segment INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL, time INTEGER NOT NULL, person INTEGER NOT NULL, operation INTEGER NOT NULL, outcome INTEGER NOT NULL);
  CREATE INDEX lines_by_time ON lines (time, id, operation, outcome);
  CREATE INDEX lines_by_person ON lines (person, time, id, operation, outcome);
  CREATE TABLE objects (object INTEGER NOT NULL, time INTEGER NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (object, time, line)) WITHOUT ROWID;
  CREATE TABLE intents (instance TEXT NOT NULL, seq INTEGER NOT NULL, line INTEGER NOT NULL, segment INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (instance, seq)) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION};`;

/**
 * Finds lines by object, person and time. It is built from the segments and can be rebuilt at any time. It is not authoritative: readers check the line itself.
 * It is synchronous, so use it in a separate thread or process.
 */
export class LineIndex {
  readonly #root: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #names = new Map<string, number>();

  private constructor(root: string, db: DatabaseSync) {
    this.#root = root;
    this.#db = db;
  }

  /**
   * Opens the index, and rebuilds it when it is damaged.
   *
   * @param file - by default in the folder of the audit.
   */
  static open(root: string, file: string): LineIndex {
    try {
      return new LineIndex(root, openDatabase(file));
    } catch (error) {
      if (!isDamage(error)) throw error;
      LineIndex.remove(file);
      return new LineIndex(root, openDatabase(file));
    }
  }

  static remove(file: string): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
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
      (this.#all('SELECT id, instance, segment, bytes, tip FROM segments') as SegmentRow[]).map((row) => [
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
    { subject, issuer, about, resource = about && resourceText(about), operation, outcome, from, to }: AuditQuestion,
    stop: Stop | undefined,
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
      const id = this.#idOf(`${column} ${name}`);
      if (id === undefined) return [];
      filters.push(`AND l.${column} = ?`);
      values.push(id);
    }
    const select = 'SELECT l.id, l.time, l.at, l.length, s.instance, s.segment FROM';
    const rest = `${filters.join(' ')} ORDER BY`;
    if (resource !== undefined) {
      const sql = `${select} objects o JOIN lines l ON l.id = o.line JOIN segments s ON s.id = l.segment WHERE o.object = ? AND o.time >= ? AND o.time < ? AND (o.time, o.line) < (?, ?) ${rest} o.time DESC, o.line DESC LIMIT ?`;
      return this.#all(sql, objectHash(resource), ...bounds, ...values, limit) as Found[];
    }
    if (subject !== undefined) {
      const sql = `${select} lines l INDEXED BY lines_by_person JOIN segments s ON s.id = l.segment WHERE l.person = ? AND l.time >= ? AND l.time < ? AND (l.time, l.id) < (?, ?) ${rest} l.time DESC, l.id DESC LIMIT ?`;
      const found = this.#people(subject, issuer).flatMap(
        (person) => this.#all(sql, person, ...bounds, ...values, limit) as Found[],
      );
      return found.sort((a, b) => b.time - a.time || b.id - a.id).slice(0, limit);
    }
    const sql = `${select} lines l INDEXED BY lines_by_time JOIN segments s ON s.id = l.segment WHERE l.time >= ? AND l.time < ? AND (l.time, l.id) < (?, ?) ${rest} l.time DESC, l.id DESC LIMIT ?`;
    return this.#all(sql, ...bounds, ...values, limit) as Found[];
  }

  /** Changes that were begun in a span of time and whose end is not known. */
  openIntents(from: number, to: number, limit: number): Found[] {
    return this.#all(
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
    this.#run(
      'INSERT OR IGNORE INTO segments (instance, segment, bytes, tip) VALUES (?, ?, 0, ?)',
      instance,
      segment,
      '',
    );
    for (;;) {
      const isAll = this.#transact(() => {
        // Another process may have added lines in the meantime.
        const row = this.#all(
          'SELECT id, bytes FROM segments WHERE instance = ? AND segment = ?',
          instance,
          segment,
        )[0] as { id: number; bytes: number } | undefined;
        const [lines = []] = row === undefined ? [] : linesIn(file, row.bytes, size);
        for (const { at, bytes } of lines) this.#add(row!.id, instance, { at, bytes });
        const last = lines.at(-1);
        if (last !== undefined)
          this.#run(
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

  #transact<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#names.clear();
      throw error;
    }
  }

  #add(segment: number, instance: string, { at, bytes }: { readonly at: number; readonly bytes: Buffer }): void {
    const line = lineIn(bytes, instance);
    if (line === undefined) return;
    const time = Date.parse(line.time);
    if (line.kind === 'intent') {
      this.#run(
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
    const { lastInsertRowid: id } = this.#run(
      'INSERT INTO lines (segment, at, length, time, person, operation, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)',
      segment,
      at,
      bytes.length,
      time,
      this.#nameId(personName(line.issuer, line.subject)),
      this.#nameId(`operation ${line.operation}`),
      this.#nameId(`outcome ${line.outcome ?? ''}`),
    );
    for (const resource of new Set(line.resources.map((one) => one.resource)))
      this.#run('INSERT OR IGNORE INTO objects VALUES (?, ?, ?)', objectHash(resource), time, id);
  }

  /** Deletes an intent whose end is known. The lines of one intent have consecutive numbers, up to the first line of the next intent. */
  #ended(instance: string, intent: number): void {
    const next = 'SELECT coalesce(min(seq), 9007199254740991) FROM intents WHERE instance = ? AND seq > ? AND line = 1';
    this.#run(
      `DELETE FROM intents WHERE instance = ? AND seq >= ? AND seq < (${next})`,
      instance,
      intent,
      instance,
      intent,
    );
  }

  /** Removes a segment from the index. Its rows in `objects` match no line any more; they are deleted when they are the oldest. */
  #forget({ id }: SegmentRow): void {
    this.#transact(() => {
      for (const sql of [
        'DELETE FROM lines WHERE segment = ?',
        'DELETE FROM intents WHERE segment = ?',
        'DELETE FROM segments WHERE id = ?',
      ])
        this.#run(sql, id);
      this.#run('DELETE FROM objects WHERE line < (SELECT coalesce(min(id), 9007199254740991) FROM lines)');
    });
  }

  #people(subject: string, issuer: string | undefined): number[] {
    if (issuer !== undefined) return [this.#idOf(personName(issuer, subject)) ?? -1];
    return (
      this.#all(
        "SELECT id FROM names WHERE text GLOB 'person *' AND substr(text, -length(?)) = ?",
        `\n${subject}`,
        `\n${subject}`,
      ) as { id: number }[]
    ).map(({ id }) => id);
  }

  #idOf(text: string): number | undefined {
    return (this.#all('SELECT id FROM names WHERE text = ?', text)[0] as { id: number } | undefined)?.id;
  }

  #nameId(text: string): number {
    let id = this.#names.get(text) ?? this.#idOf(text);
    id ??= Number(this.#run('INSERT INTO names (text) VALUES (?)', text).lastInsertRowid);
    if (this.#names.size > 10_000) this.#names.clear();
    this.#names.set(text, id);
    return id;
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }

  #run(sql: string, ...values: readonly (string | number | bigint)[]) {
    return this.#prepared(sql).run(...values);
  }

  #all(sql: string, ...values: readonly (string | number)[]): unknown[] {
    return this.#prepared(sql).all(...values);
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

/** Whether the index file is unusable and has to be rebuilt. */
export function isDamage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { errcode } = error as { readonly errcode?: number };
  return error instanceof OtherVersion || (errcode !== undefined && DAMAGED.has(errcode & 0xff));
}

/** `SQLITE_ERROR` is reported for a missing table; the others are `CORRUPT`, `SCHEMA`, `NOTADB`, and `IOERR` for a truncated file. */
const DAMAGED: ReadonlySet<number> = new Set([1, 10, 11, 17, 26]);

class OtherVersion extends Error {}

function openDatabase(file: string): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const db = new DatabaseSync(file, { timeout: 10_000 });
  try {
    // Data lost in a power cut is rebuilt.
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824;',
    );
    const version = db.prepare('PRAGMA user_version').get()?.['user_version'];
    if (version === 0) db.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`);
    else if (version !== VERSION) throw new OtherVersion();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A number that is the same for all lines of an object and for few other lines. */
function objectHash(resource: string): number {
  return hash('sha1', resource, 'buffer').readUIntBE(0, OBJECT_HASH_BYTES);
}

function personName(issuer: string, subject: string): string {
  return `person ${issuer}\n${subject}`;
}

/** Parses a line about an operation; undefined for any other line. */
export function lineIn(bytes: Buffer, instance: string): AuditLine | undefined {
  const line = membersIn(bytes);
  if (line === undefined || !isRecord(line)) return undefined;
  const resources = line.resources.flatMap((entry) => readEntry(entry, line['operation']) ?? []);
  return resources.length < line.resources.length
    ? undefined
    : ({ ...line, resources, instance } as unknown as AuditLine);
}

/** Whether a line has what the index and the answers need. The files may be damaged. */
function isRecord(
  line: Readonly<Record<string, unknown>>,
): line is Readonly<Record<string, unknown>> & { readonly resources: readonly unknown[] } {
  const { seq, kind, time, line: part = 1, resources } = line;
  return (
    (kind === 'intent' || kind === 'outcome') &&
    Number.isSafeInteger(seq) &&
    Number.isSafeInteger(part) &&
    !Number.isNaN(Date.parse(String(time))) &&
    Array.isArray(resources)
  );
}
