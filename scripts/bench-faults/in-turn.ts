/** Does `count` things, at most `together` at a time. */
export async function inTurn(count: number, together: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: together }, worker));
}
