import { visible } from '../../format/visible.ts';

/** What is printed to. A terminal interprets control characters, and names of others are in almost everything. */
export type Printable = { readonly isTTY?: boolean | undefined; write(text: string): unknown };

/** Makes the function that prints one line. On a terminal, control characters in the line are made visible. */
export function linePrinter(stream: Printable): (line: string) => void {
  return (line) => void stream.write(`${stream.isTTY === true ? visible(line) : line}\n`);
}

/** Makes the function that prints one line of a message. Control characters are always made visible, so that a name in it begins no line, in a pipe too. */
export function messagePrinter(stream: Printable): (line: string) => void {
  return (line) => void stream.write(`${visible(line)}\n`);
}

/** JSON in which all control characters are escaped, because a person may print it on a terminal. It reads as the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\x7f-\x9f\p{Bidi_Control}\u2028\u2029]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
