import { KINDS, type Mutant } from './mutant.ts';

/** `by` is the first test that noticed. */
export type Verdict = { readonly outcome: 'killed' | 'survived' | 'timeout'; readonly by?: string };

const MAX_SHOWN = 100;

/** What became of a folder's mutants. A mutant that makes the tests run into their time-out counts as noticed. */
export class Score {
  readonly #folder: string;
  readonly #possible: number;
  readonly #seen: { readonly mutant: Mutant; readonly outcome: Verdict['outcome'] }[] = [];

  /** @param possible - How many mutants the folder has; the sample is a part of them. */
  constructor(folder: string, possible: number) {
    this.#folder = folder;
    this.#possible = possible;
  }

  add(mutant: Mutant, { outcome }: Verdict): void {
    this.#seen.push({ mutant, outcome });
  }

  /** The share that was noticed, 0 to 100. */
  get percent(): number {
    return this.#seen.length === 0 ? 100 : (100 * (this.#seen.length - this.#count('survived'))) / this.#seen.length;
  }

  report(): string {
    const survivors = this.#seen.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant);
    const figures = `${this.#count('killed')} killed, ${this.#count('timeout')} timeout, ${survivors.length} survived, ${this.#seen.length} of ${this.#possible} tried`;
    const byDanger = survivors.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
    return [
      `${this.#folder}: ${this.percent.toFixed(0)} % (${figures})`,
      ...byDanger.map((mutant) => `  ${mutant.kind}: ${describeMutant(mutant)}`),
    ].join('\n');
  }

  #count(wanted: Verdict['outcome']): number {
    return this.#seen.filter(({ outcome }) => outcome === wanted).length;
  }
}

/** One line for a mutant that was tried. */
export const describeVerdict = (mutant: Mutant, { outcome, by }: Verdict): string =>
  `${outcome.padEnd(8)} ${describeMutant(mutant)}${by === undefined ? '' : `  <- ${short(by)}`}`;

const describeMutant = ({ file, line, original, replacement }: Mutant): string =>
  `${file}:${line}  ${short(original)}  ->  ${short(replacement)}`;

const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, MAX_SHOWN);
