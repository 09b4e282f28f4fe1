/** A name and its value, as a row of a form. A row without a name counts for nothing. */
export type Pair = { readonly name: string; readonly value: string };

/** What changes the stored metadata into the metadata of a form; null removes a name. What is equal is left out, so that its bytes stay. */
export function changedMetadata(
  stored: readonly Pair[],
  wanted: readonly Pair[],
): { name: string; value: string | null }[] {
  const before = new Map(stored.map(({ name, value }) => [name, value]));
  const after = new Map(wanted.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => ({ name, value: null }));
  const set = [...after]
    .filter(([name, value]) => before.get(name) !== value)
    .map(([name, value]) => ({ name, value }));
  return [...gone, ...set];
}

/** Whether a form has the stored tags, in any order. */
export function sameTags(stored: readonly Pair[], wanted: readonly Pair[]): boolean {
  const text = (pairs: readonly Pair[]) =>
    JSON.stringify(
      pairs
        .filter(({ name }) => name !== '')
        .map(({ name, value }) => [name, value])
        .toSorted(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0)),
    );
  return text(stored) === text(wanted);
}
