import { principalId, type Principal } from '../index/principal.ts';
import type { Cohort } from './cohorts.ts';

/** Greater than the number of holders. The product of two numbers is still exact. */
const MOST_HOLDERS = 2 ** 26;

/** Which cohorts one person can have together, and who that person is. Cohorts are named by their index. */
export class CohortPairs {
  readonly #cohorts: readonly Cohort[];
  readonly #parts: readonly (readonly number[])[];
  /** The numbers of each cohort's first holder and of its companion. */
  readonly #numbers: readonly (readonly number[])[];
  /** The cohorts with a companion, by the numbers of the two holders. */
  readonly #combined: ReadonlyMap<number, number>;

  constructor(cohorts: readonly Cohort[]) {
    this.#cohorts = cohorts;
    const numbers = new Map<string, number>();
    const numberOf = (holder: Principal): number => {
      const id = principalId(holder);
      const number = numbers.get(id) ?? numbers.size;
      numbers.set(id, number);
      return number;
    };
    this.#numbers = cohorts.map(({ holders, with: companion }) =>
      [...holders.slice(0, 1), ...(companion === undefined ? [] : [companion])].map(numberOf),
    );
    this.#combined = new Map(
      cohorts.flatMap(({ holders, with: companion }, i) =>
        companion === undefined
          ? []
          : holders.map((holder) => [numberOf(holder) * MOST_HOLDERS + numberOf(companion), i] as const),
      ),
    );
    const alone = new Map(
      cohorts.flatMap((cohort, i) =>
        cohort.with === undefined ? cohort.holders.map((holder) => [principalId(holder), i] as const) : [],
      ),
    );
    this.#parts = cohorts.map(({ holders: [holder], with: companion }) =>
      companion === undefined ? [] : [holder!, companion].flatMap((one) => alone.get(principalId(one)) ?? []),
    );
  }

  /** The two single cohorts that a cohort with a companion consists of; empty for other cohorts. */
  partsOf(cohort: number): readonly number[] {
    return this.#parts[cohort]!;
  }

  /** The cohorts with a companion that consist of two holders of these cohorts. */
  combinedIn(one: number, other: number): number[] {
    if (this.#combined.size === 0) return [];
    const holders = [...this.#numbers[one]!, ...this.#numbers[other]!];
    const cohorts: number[] = [];
    for (const a of holders) {
      for (const b of holders) {
        const cohort = a === b ? undefined : this.#combined.get(a * MOST_HOLDERS + b);
        if (cohort !== undefined) cohorts.push(cohort);
      }
    }
    return cohorts;
  }

  /** Whether one person can have both cohorts. A person has one subject, and a local user has no groups. */
  canMeet(one: number, other: number): boolean {
    const [a, b] = [this.#cohorts[one]!, this.#cohorts[other]!];
    const isPair =
      one !== other &&
      a.holders.length > 0 &&
      b.holders.length > 0 &&
      (a.isGroup || b.isGroup || (a.with !== undefined && b.with !== undefined && a.subject === b.subject));
    return isPair && [a, b].every(({ isLocal: [before, after] }) => !(before && after));
  }

  /** Whether the claims of one cohort also decide what the policies of the other mean. */
  useEach(cohorts: readonly number[]): boolean {
    return cohorts.some((cohort) => this.#cohorts[cohort]!.usesEach);
  }

  /** A holder of each cohort, and their companions, without duplicates. */
  holdersOf(cohorts: readonly number[]): Principal[] {
    const holders = cohorts.flatMap((cohort) =>
      [this.#cohorts[cohort]!.holders[0]!, this.#cohorts[cohort]!.with ?? []].flat(),
    );
    return [...new Map(holders.map((holder) => [principalId(holder), holder])).values()];
  }

  /** The lists of holders that a person with all these cohorts has one of each. */
  who(cohorts: readonly number[]): (readonly Principal[])[] {
    const lists = cohorts.flatMap((cohort) => {
      const { holders, with: companion } = this.#cohorts[cohort]!;
      return holders.length === 0 ? [] : [holders, ...(companion === undefined ? [] : [[companion]])];
    });
    return [...new Map(lists.map((list) => [JSON.stringify(list.map(principalId)), list])).values()];
  }
}
