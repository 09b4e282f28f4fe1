/** Repeats the last answer until it is `ms` old, for everybody who asks. */
export function atMostEvery<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at >= ms) last = { at: performance.now(), answer: ask() };
    return last.answer;
  };
}
