import { once } from 'node:events';
import { csvCells } from '../../format/csv.ts';
import { reviewAccess, reviewedPlaces } from '../../policy/answers/review.ts';
import type { LoadedPolicies } from '../policy/configured-policies.ts';
import type { NamedKey } from '../policy/named-keys.ts';
import { jsonText, type Printable } from '../terminal/printing.ts';
import { ReviewPage } from './review-html.ts';
import { COLUMNS, ReviewRows, type ReviewRow } from './review-row.ts';
import { visible } from '../terminal/text.ts';

/** Writes a review in one format, piece by piece. */
type Form = {
  readonly head: string;
  readonly row: (row: ReviewRow, count: number) => string;
  readonly end: () => string;
};

function formOf(
  format: 'csv' | 'html' | 'json',
  columns: readonly (keyof ReviewRow)[],
  about: Readonly<Record<string, string>>,
): Form {
  if (format === 'csv')
    return { head: csvLine(columns), row: (row) => csvLine(columns.map((name) => row[name])), end: () => '' };
  if (format === 'json')
    return {
      head: '{"lines":[',
      row: (row, count) =>
        `${count === 0 ? '' : ','}\n${jsonText(Object.fromEntries(columns.map((name) => [name, row[name]])))}`,
      end: () => '\n]}\n',
    };
  const page = new ReviewPage();
  return { head: page.head(about), row: (row) => page.row(row), end: () => page.end() };
}

/**
 * Writes a review as fast as the target takes it.
 *
 * @returns the number of its lines.
 */
export async function writeReview(
  loaded: LoadedPolicies,
  {
    config,
    format,
    owner,
    keys,
  }: {
    readonly config: string;
    readonly format: 'csv' | 'html' | 'json';
    readonly owner?: string;
    readonly keys?: readonly NamedKey[];
  },
  to: NodeJS.WritableStream,
): Promise<number> {
  const isTerminal = (to as Printable).isTTY === true;
  const write = async (text: string): Promise<void> => {
    if (!to.write(isTerminal ? text.replaceAll(/[^\r\n]+/g, visible) : text))
      await once(to as NodeJS.WritableStream & NodeJS.EventEmitter, 'drain');
  };
  const rows = new ReviewRows(loaded, keys);
  const columns = COLUMNS.filter((name) => name !== 'keys' || keys !== undefined);
  const form = formOf(format, columns, {
    Configuration: config,
    Day: new Date().toISOString().slice(0, 10),
    ...(owner !== undefined && { Owner: owner }),
  });
  let count = 0;
  await write(form.head);
  const { definition, buckets, signIn } = loaded;
  for (const line of reviewAccess(
    signIn ? definition : { ...definition, enabled: false },
    reviewedPlaces(definition, buckets),
  )) {
    if (owner !== undefined && rows.ownerOf(line) !== owner) continue;
    await write(form.row(rows.of(line), count++));
  }
  await write(form.end());
  return count;
}

const csvLine = (cells: readonly string[]): string => `${csvCells(cells)}\r\n`;
