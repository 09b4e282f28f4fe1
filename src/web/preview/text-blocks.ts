import { directionChanges } from './display-text.ts';

/** Part of a text that the browser lays out on its own, and only where it is visible. */
export type TextBlock = {
  readonly text: string;
  /** Its position in the text. */
  readonly start: number;
  /** The number of its first line, and the number of lines. */
  readonly line: number;
  readonly lines: number;
  /** Whether it continues a line of the block before, which was too long for one block. */
  readonly isContinued: boolean;
  /** The length of its longest line. */
  readonly longest: number;
};

const MOST_LINES = 200;
const MOST_CHARACTERS = 4_000;
/** The browser takes as long to lay out one change of the writing direction as many characters. */
const MOST_CHANGES = 200;

/** Splits a text at the ends of lines, or within lines that are too long. */
export function blocksOfText(text: string): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  let line = 1;
  for (let start = 0, end; start < text.length; start = end) {
    const isContinued = start > 0 && text[start - 1] !== '\n';
    end = endOfBlock(text, start);
    const part = text.slice(start, end);
    const rows = (part.endsWith('\n') ? part.slice(0, -1) : part).split('\n');
    if (isContinued) line -= 1;
    const longest = Math.max(...rows.map(({ length }) => length));
    blocks.push({ text: part, start, line, lines: rows.length, isContinued, longest });
    line += rows.length;
  }
  return blocks;
}

function endOfBlock(text: string, start: number): number {
  const most = start + lengthWithin(text.slice(start, start + MOST_CHARACTERS));
  let end = start;
  for (let lines = 0; lines < MOST_LINES && end < most; lines += 1) {
    const next = text.indexOf('\n', end) + 1 || text.length;
    if (next > most) break;
    end = next;
  }
  return end > start ? end : most;
}

/** The length of the part of a text that is not too much for one block. */
function lengthWithin(text: string): number {
  const change = directionChanges(text, MOST_CHANGES + 1)[MOST_CHANGES];
  if (change !== undefined) return change;
  // A character outside the basic plane is not split.
  return text.length === MOST_CHARACTERS && /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}
