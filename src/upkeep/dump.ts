import { SvcError } from '../errors/svc-error.ts';
import { isOfStatement } from '../state/postgres-fault.ts';
import { isConstraint } from '../state/sqlite-fault.ts';
import {
  summarize,
  TABLE_NAMES,
  Tally,
  type KeptRow,
  type RowReader,
  type RowWriter,
  type Summary,
  type TableName,
} from './tables.ts';

const FORMAT = 'svc state 1';

type Line =
  | { readonly format: string }
  | { readonly table: TableName; readonly rows: readonly KeptRow[] }
  /** An earlier version has fewer tables. */
  | { readonly summary: Partial<Summary> };

/** The lines of a dump, each a JSON document: the format, the rows, and the count and digest of each table. */
export async function* dumpOf(reader: RowReader): AsyncGenerator<string, Summary> {
  yield line({ format: FORMAT });
  const tallies = {
    sessions: new Tally('sessions'),
    api_keys: new Tally('api_keys'),
    s3_keys: new Tally('s3_keys'),
    suspensions: new Tally('suspensions'),
    kept_places: new Tally('kept_places'),
  };
  for (const table of TABLE_NAMES) {
    for await (const rows of reader.rows(table)) {
      tallies[table].add(rows);
      yield line({ table, rows });
    }
  }
  const summary = {
    sessions: tallies.sessions.summary,
    api_keys: tallies.api_keys.summary,
    s3_keys: tallies.s3_keys.summary,
    suspensions: tallies.suspensions.summary,
    kept_places: tallies.kept_places.summary,
  };
  yield line({ summary });
  return summary;
}

/**
 * Adds the rows of a dump to an empty database, and reads them back.
 *
 * @throws {SvcError} `state_unavailable`: the database is not empty, or the dump is incomplete or damaged. Nothing is added then, because the caller's
 *   transaction is rolled back.
 */
export async function loadDump(lines: AsyncIterable<string>, writer: RowWriter): Promise<Summary> {
  const present = await summarize(writer);
  if (TABLE_NAMES.some((table) => present[table].count > 0))
    throw new SvcError('state_unavailable', {
      detail: 'the database to fill holds sessions or keys already; name an empty one',
    });
  let isDump = false;
  let promised: Partial<Summary> | undefined;
  for await (const text of lines) {
    const read = parse(text);
    if ('format' in read) isDump = read.format === FORMAT;
    if (!isDump) throw damaged('is not a dump of svc');
    if ('rows' in read && TABLE_NAMES.includes(read.table))
      await writer.add(read.table, read.rows).catch((error: unknown) => {
        throw isOfValue(error) ? damaged('is not a dump of svc, or is damaged') : error;
      });
    if ('summary' in read) promised = read.summary;
  }
  if (!promised) throw damaged('is not whole; write it again');
  const found = await summarize(writer);
  for (const table of TABLE_NAMES) {
    const { count, digest } = promised[table] ?? new Tally(table).summary;
    if (found[table].count !== count || found[table].digest !== digest)
      throw damaged(`does not give what it promises of \`${table}\`; write it again`);
  }
  return found;
}

function line(content: Line): string {
  return `${JSON.stringify(content)}\n`;
}

function parse(text: string): Line {
  try {
    const read = JSON.parse(text) as Line | null;
    if (typeof read === 'object' && read !== null) return read;
  } catch {
    // It is no JSON.
  }
  throw damaged('is not a dump of svc, or is damaged');
}

/** Whether the rows are none, or the database works and takes no such values. */
function isOfValue(error: unknown): boolean {
  return (error as Error).name === 'TypeError' || isConstraint(error) || isOfStatement(error);
}

export function damaged(what: string): SvcError {
  return new SvcError('state_unavailable', { detail: `the dump ${what}` });
}
