/** Matches cells that spreadsheets treat as formulas, some also after blanks and with full-width characters. */
const FORMULA = /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/;

/** A row of CSV (RFC 4180), without the line end. */
export function csvCells(cells: readonly string[]): string {
  return cells.map((cell) => quoted(guarded(cell))).join(',');
}

/** Prefixes a possible formula with an apostrophe, because spreadsheets would compute it. */
export function guarded(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** Quotes a cell if needed. Some readers also split cells at semicolons and tabs, and drop blanks around them. */
function quoted(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
