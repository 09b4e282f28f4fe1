import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean \`x\`?` when one of the known names is similar, otherwise empty. For many known names use {@link KnownNames}. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(name, known);
  return distance(name, nearest) <= Math.max(2, Math.floor(nearest.length / 3)) ? `; did you mean \`${nearest}\`?` : '';
}

/** The maximum sum of products of the lengths of compared names: about a tenth of a second. */
const MAX_WORK = 100_000_000;

/** The names that a configuration defines, possibly thousands. The work for suggestions is limited. */
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

  /** Like {@link didYouMean}; empty when the work limit is reached. */
  didYouMean(name: string): string {
    const work = name.length * this.#length;
    if (work > this.#workLeft) return '';
    this.#workLeft -= work;
    return didYouMean(name, this.list);
  }
}
