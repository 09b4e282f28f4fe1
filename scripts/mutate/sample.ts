/** `count` of the items, the same ones for the same seed, in their order. */
export function sampled<T>(items: readonly T[], count: number, seed: number): readonly T[] {
  const next = numbers(seed);
  return items
    .map((item, index) => ({ item, index, drawn: next() }))
    .sort((a, b) => a.drawn - b.drawn)
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map(({ item }) => item);
}

/** Mulberry32: numbers from 0 to 1, the same ones for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
