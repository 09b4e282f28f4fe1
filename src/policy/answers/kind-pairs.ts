import { holderId, type Holder } from '../index/holder.ts';
import type { Kind } from './diff-kinds.ts';

/** Greater than the number of holders. The product of two numbers is still exact. */
const MOST_HOLDERS = 2 ** 26;

/** Which kinds one person can have together, and who that person is. Kinds are named by their index. */
export class KindPairs {
  readonly #kinds: readonly Kind[];
  readonly #parts: readonly (readonly number[])[];
  /** The numbers of each kind's first holder and of its companion. */
  readonly #numbers: readonly (readonly number[])[];
  /** The kinds with a companion, by the numbers of the two holders. */
  readonly #combined: ReadonlyMap<number, number>;

  constructor(kinds: readonly Kind[]) {
    this.#kinds = kinds;
    const numbers = new Map<string, number>();
    const numberOf = (holder: Holder): number => {
      const id = holderId(holder);
      const number = numbers.get(id) ?? numbers.size;
      numbers.set(id, number);
      return number;
    };
    this.#numbers = kinds.map(({ holders, with: companion }) =>
      [...holders.slice(0, 1), ...(companion === undefined ? [] : [companion])].map(numberOf),
    );
    this.#combined = new Map(
      kinds.flatMap(({ holders, with: companion }, i) =>
        companion === undefined
          ? []
          : holders.map((holder) => [numberOf(holder) * MOST_HOLDERS + numberOf(companion), i] as const),
      ),
    );
    const alone = new Map(
      kinds.flatMap((kind, i) =>
        kind.with === undefined ? kind.holders.map((holder) => [holderId(holder), i] as const) : [],
      ),
    );
    this.#parts = kinds.map(({ holders: [holder], with: companion }) =>
      companion === undefined ? [] : [holder!, companion].flatMap((one) => alone.get(holderId(one)) ?? []),
    );
  }

  /** The two single kinds that a kind with a companion consists of; empty for other kinds. */
  partsOf(kind: number): readonly number[] {
    return this.#parts[kind]!;
  }

  /** The kinds with a companion that consist of two holders of these kinds. */
  combinedIn(one: number, other: number): number[] {
    if (this.#combined.size === 0) return [];
    const holders = [...this.#numbers[one]!, ...this.#numbers[other]!];
    const kinds: number[] = [];
    for (const a of holders) {
      for (const b of holders) {
        const kind = a === b ? undefined : this.#combined.get(a * MOST_HOLDERS + b);
        if (kind !== undefined) kinds.push(kind);
      }
    }
    return kinds;
  }

  /** Whether one person can have both kinds. A person has one subject, and a local user has no groups. */
  canMeet(one: number, other: number): boolean {
    const [a, b] = [this.#kinds[one]!, this.#kinds[other]!];
    const isPair =
      one !== other &&
      a.holders.length > 0 &&
      b.holders.length > 0 &&
      (a.isGroup || b.isGroup || (a.with !== undefined && b.with !== undefined && a.subject === b.subject));
    return isPair && [a, b].every(({ isLocal: [before, after] }) => !(before && after));
  }

  /** Whether the claims of one kind also decide what the policies of the other mean. */
  useEach(kinds: readonly number[]): boolean {
    return kinds.some((kind) => this.#kinds[kind]!.usesEach);
  }

  /** A holder of each kind, and their companions, without duplicates. */
  holdersOf(kinds: readonly number[]): Holder[] {
    const holders = kinds.flatMap((kind) => [this.#kinds[kind]!.holders[0]!, this.#kinds[kind]!.with ?? []].flat());
    return [...new Map(holders.map((holder) => [holderId(holder), holder])).values()];
  }

  /** The lists of holders that a person with all these kinds has one of each. */
  who(kinds: readonly number[]): (readonly Holder[])[] {
    const lists = kinds.flatMap((kind) => {
      const { holders, with: companion } = this.#kinds[kind]!;
      return holders.length === 0 ? [] : [holders, ...(companion === undefined ? [] : [[companion]])];
    });
    return [...new Map(lists.map((list) => [JSON.stringify(list.map(holderId)), list])).values()];
  }
}
