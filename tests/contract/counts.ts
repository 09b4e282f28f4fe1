import { expect, it } from '@jest/globals';
import type { Counts } from '../../src/state/counts.ts';
import { Clock } from '../support/clock.ts';

/** What every store of counts has to do. @param open - gives the counts of two instances. */
export function countsContract(name: string, open: (now: () => number) => readonly [Counts, Counts]): void {
  it(`${name} counts each id over all instances, and begins again with the next window`, async () => {
    const clock = new Clock(Math.ceil(Date.now() / 60_000) * 60_000);
    const [here, there] = open(clock.now);
    const resetsAt = clock.now() + 60_000;
    const counted = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? here : there).add('a', 60_000)),
    );
    expect(counted.map(({ count }) => count).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    expect(new Set(counted.map((count) => count.resetsAt))).toEqual(new Set([resetsAt]));
    expect(await there.add('A', 60_000)).toEqual({ count: 1, resetsAt });
    clock.advance(59_999);
    expect((await here.add('a', 60_000)).count).toBe(21);
    clock.advance(1);
    expect(await there.add('a', 60_000)).toEqual({ count: 1, resetsAt: resetsAt + 60_000 });
  });
}
