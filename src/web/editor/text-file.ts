import { directionChanges } from '../preview/display-text.ts';

/** How the text of an object is stored. A text with different line ends is edited with the carriage returns as characters. */
export type TextForm = { readonly hasMark: boolean; readonly lineEnd: '\n' | '\r\n' | '\r' | 'mixed' };

/** The text of an object, whose lines end with LF unless the line ends are mixed. */
export type TextFile = TextForm & { readonly text: string };

const MARK = '\u{FEFF}';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a text; undefined if the bytes are not UTF-8 or contain NUL. */
export function textFileOf(bytes: ArrayBuffer): TextFile | undefined {
  let whole: string;
  try {
    whole = utf8.decode(bytes);
  } catch {
    return undefined;
  }
  if (whole.includes('\0')) return undefined;
  const hasMark = whole.startsWith(MARK);
  const stored = hasMark ? whole.slice(1) : whole;
  const ends = new Set(stored.match(/\r\n?|\n/g));
  if (ends.size > 1) return { text: stored, hasMark, lineEnd: 'mixed' };
  const [lineEnd = '\n'] = ends as Set<'\n' | '\r\n' | '\r'>;
  return { text: lineEnd === '\n' ? stored : stored.replaceAll(lineEnd, '\n'), hasMark, lineEnd };
}

/** Encodes a text as it was stored: with its byte order mark and its line ends. */
export function bytesOf(text: string, { hasMark, lineEnd }: TextForm): Uint8Array<ArrayBuffer> {
  const stored = lineEnd === '\n' || lineEnd === 'mixed' ? text : text.replaceAll('\n', lineEnd);
  return new TextEncoder().encode((hasMark ? MARK : '') + stored);
}

/** How many of these the browser lays out in one line in time: emoji and other rare characters, letters of scripts that it joins or mixes with others, and changes from Latin to Chinese. */
const MOST_IN_LINE: readonly (readonly [RegExp, number])[] = [
  [/[\u{10000}-\u{10FFFF}]/gu, 50_000],
  [/[\p{L}--[\p{sc=Latin}\p{Ideographic}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]]/gv, 30_000],
  [/\p{sc=Latin}\p{Ideographic}/gu, 100_000],
];
/** So many spaces it lays out in time, and any number of spaces between words. */
const MOST_SPACES = 200_000;
const LONG_SPACE = 1_000;
/** The editor draws about as many lines at once. */
const LINES_AT_ONCE = 50;
/** Characters that are drawn as signs, of which it draws so many at once in time. */
const SIGNS = /[[\p{Cc}\p{Cf}]--[\n\t\u200C\u200D]]/gv;
const MOST_SIGNS = 2_000;
const MOST_CHANGES = 10_000;
/** The longest character with its marks, and what is joined to it. The browser takes quadratic time for a longer one. */
const MOST_OF_CHARACTER = 1_000;

/** Whether the browser takes too long to lay out one of the lines of a text for an editor, or those that it shows at once. */
export function hasSlowLine(text: string): boolean {
  const lines = text.split('\n');
  if (lines.some((line) => line.length > MOST_OF_CHARACTER && isSlow(line))) return true;
  for (let first = 0; first < lines.length; first += LINES_AT_ONCE)
    if (areSlow(lines.slice(first, first + LINES_AT_ONCE).join('\n'))) return true;
  return false;
}

function areSlow(lines: string): boolean {
  return countOf(SIGNS, lines) > MOST_SIGNS || directionChanges(lines, MOST_CHANGES + 1).length > MOST_CHANGES;
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

function isSlow(line: string): boolean {
  return (
    MOST_IN_LINE.some(([pattern, most]) => countOf(pattern, line) > most) ||
    hasLongSpaces(line) ||
    hasLongCharacter(line)
  );
}

function hasLongSpaces(line: string): boolean {
  const spaces = line.match(/\s+/g)?.filter(({ length }) => length >= LONG_SPACE) ?? [];
  return spaces.join('').length > MOST_SPACES;
}

/** A longer character than {@link MOST_OF_CHARACTER} is found at one of the looked at places, wherever it begins. */
function hasLongCharacter(line: string): boolean {
  const characters = new Intl.Segmenter().segment(line);
  for (let at = 0; at < line.length; at += MOST_OF_CHARACTER)
    if (characters.containing(at)!.segment.length > MOST_OF_CHARACTER) return true;
  return false;
}
