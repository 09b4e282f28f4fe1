import Papa from 'papaparse';
import { firstRows, shownCell } from './cells.ts';

const MOST_COLUMNS = 60;

/** The beginning of a file, whether the file has more than that, and how many rows to show. */
export type CsvTask = { readonly text: string; readonly isCut: boolean; readonly most: number };
/** The columns shown are the first of `columnCount`. `isCut` tells whether the file has more rows, and `isFull` whether no more of them can be shown. */
export type CsvTable = {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly columnCount: number;
  readonly isCut: boolean;
  readonly isFull: boolean;
};

/** Reads CSV or TSV. The time is quadratic for some texts. The first row is the header. */
export function tableOf({ text, isCut, most }: CsvTask): CsvTable {
  const { data, meta } = Papa.parse<string[]>(text, { preview: most + 1, skipEmptyLines: 'greedy' });
  const stopsInside = isCut && !meta.truncated;
  const [head = [], ...all] = stopsInside ? data.slice(0, -1) : data;
  const columnCount = Math.max(head.length, ...all.map((row) => row.length));
  const columns = Math.min(columnCount, MOST_COLUMNS);
  const shown = (cells: readonly string[]): string[] =>
    Array.from({ length: columns }, (_, column) => shownCell(cells[column] ?? ''));
  const rows = firstRows(all.map(shown));
  const isFull = rows.length < all.length;
  return { head: shown(head), rows, columnCount, isCut: isCut || meta.truncated || isFull, isFull };
}
