/**
 * Takes all items out of a list that is read once. V8 keeps what a promise was fulfilled with in memory until a collection of the whole heap when somebody has
 * waited long for it: a list of thousands of texts, but not an empty one.
 */
export function takeAll<T>(list: T[]): T[] {
  return list.splice(0);
}
