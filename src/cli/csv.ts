/** Spreadsheets take a cell that begins so for a formula, some of them also behind blanks, and in full width. */
const FORMULA = /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/;

/** Cells of CSV (RFC 4180), without the end of the line. */
export function csvCells(cells: readonly string[]): string {
  return cells.map((cell) => quoted(guarded(cell))).join(',');
}

/** What could be a formula gets an apostrophe before it, because programs for tables would compute it. */
export function guarded(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** Some readers take semicolons and tabs for the end of a cell, too, and drop blanks around it. */
function quoted(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
