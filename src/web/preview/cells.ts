import { directionChanges, displayText, withFewMarks } from './display-text.ts';

const MOST_CHARACTERS = 300;
/**
 * The browser takes too long to lay out more characters. A cell, and a change of the writing direction, take as long
 * as some characters.
 */
const MOST_OF_TABLE = 240_000;
const CHARACTERS_OF_CELL = 30;

/** The text of a cell as it is shown. */
export function shownCell(text: string): string {
  return displayText(beginningOf(text));
}

/** The name of a column, or of a member of an archive, as it is shown. Its control characters are kept. */
export function shownName(name: string): string {
  return withFewMarks(beginningOf(name));
}

function beginningOf(text: string): string {
  // A character outside the basic plane is not split.
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

/** The first rows of a table that the browser shows without a noticeable delay. */
export function firstRows(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let total = 0;
  const end = rows.findIndex((cells) => {
    for (const text of cells) total += text.length + CHARACTERS_OF_CELL * (1 + directionChanges(text).length);
    return total > MOST_OF_TABLE;
  });
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}
