import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean \`x\`?` when one of the known names is near, else nothing. For a few known names: see {@link KnownNames}. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(name, known);
  return distance(name, nearest) <= Math.max(2, Math.floor(nearest.length / 3)) ? `; did you mean \`${nearest}\`?` : '';
}

/** Products of the lengths of two names that are compared: a tenth of a second. */
const MAX_WORK = 100_000_000;

/** Names that a configuration gives and uses, which may be thousands: the work of guessing what was meant by others is bounded. */
export class KnownNames {
  readonly list: readonly string[];
  readonly #names: ReadonlySet<string>;
  readonly #length: number;
  #workLeft = MAX_WORK;

  constructor(list: readonly string[]) {
    this.list = list;
    this.#names = new Set(list);
    this.#length = list.reduce((sum, { length }) => sum + length, 0);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** As {@link didYouMean}, and nothing when the work is used up. */
  didYouMean(name: string): string {
    const work = name.length * this.#length;
    if (work > this.#workLeft) return '';
    this.#workLeft -= work;
    return didYouMean(name, this.list);
  }
}
