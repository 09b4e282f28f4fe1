const PAUSE_MS = 1_000;

/** What is being typed to go to a row. A pause begins a new text. */
export type Typed = { readonly text: string; readonly at: number };

/** The text after another character, typed at the time `now`. */
export function typedOn({ text, at }: Typed, character: string, now: number): Typed {
  return { text: now - at > PAUSE_MS ? character : text + character, at: now };
}

/**
 * The index of the row to which typing leads: the next one whose name begins with the text, in a circle. The same character again leads to the row after it.
 *
 * @param from - the index of the current row.
 */
export function rowOfTyped(names: readonly string[], from: number, { text }: Typed): number | undefined {
  const isRepeated = text === text.charAt(0).repeat(text.length);
  const wanted = (isRepeated ? text.slice(0, 1) : text).toLocaleLowerCase();
  const begin = text.length === 1 || isRepeated ? from + 1 : from;
  for (let i = 0; i < names.length; i++) {
    const index = (begin + i) % names.length;
    if (names[index]!.toLocaleLowerCase().startsWith(wanted)) return index;
  }
  return undefined;
}
