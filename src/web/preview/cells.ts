import { directionChanges, shownText } from './shown-text.ts';

const MOST_CHARACTERS = 300;
/**
 * The browser takes too long to lay out more characters. A cell, and a change of the writing direction, take as long
 * as some characters.
 */
const MOST_OF_TABLE = 300_000;
const CHARACTERS_OF_CELL = 30;

/** The text of a cell as it is shown. */
export function shownCell(text: string): string {
  return shownText(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);
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
