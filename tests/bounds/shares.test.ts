import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Shares, type SharesOptions } from '../../src/bounds/shares.ts';

const shares = (options: Partial<SharesOptions> = {}) =>
  new Shares({ all: 6, each: 3, tooMuch: 'you have too much', ...options });

/** Takes `times` amounts for a person, and notes each that was got. */
function taker(from: Shares) {
  const got: string[] = [];
  const ends: (() => void)[] = [];
  const take = async (name: string, times: number, amount = 1): Promise<void> => {
    for (let i = 0; i < times; i++)
      void Promise.resolve(from.take(name, amount)).then(
        () => (got.push(name), ends.push(() => from.giveBack(name, amount))),
      );
    await turn();
  };
  return { got, ends, take };
}

describe('shares', () => {
  it('give a person no more than theirs, and all people no more than there is', async () => {
    const { got, take } = taker(shares());
    await take('ada', 9);
    expect(got).toEqual(['ada', 'ada', 'ada']);
    for (const name of ['ben', 'cleo']) await take(name, 9);
    expect(got.slice(3)).toEqual(['ben', 'ben', 'ben']);
  });

  it('give nothing to whoever asks for nothing, at once, and take it back as often as it was given', async () => {
    const { got, ends, take } = taker(shares({ all: 1 }));
    await take('ada', 2);
    await take('ben', 2, 0);
    expect(got).toEqual(['ada', 'ben', 'ben']);
    for (const end of ends) end();
    await turn();
    expect(got).toEqual(['ada', 'ben', 'ben', 'ada']);
  });

  it('give all jobs together three quarters, whatever their names are, so that people find something', async () => {
    const from = shares({ all: 8 });
    const got: string[] = [];
    const take = (name: string, isJob: boolean): void =>
      void Promise.resolve(from.take(name, 1, {}, isJob)).then(() => got.push(name));
    for (let i = 0; i < 9; i++) take(`job ${i}`, true);
    await turn();
    expect(got).toEqual(Array.from({ length: 6 }, (_, i) => `job ${i}`));
    for (let i = 0; i < 3; i++) take('ada', false);
    await turn();
    expect(got.slice(6)).toEqual(['ada', 'ada']);
    from.giveBack('job 0', 1);
    await turn();
    expect(got.slice(8)).toEqual(['job 6']);
    from.giveBack('ada', 1);
    await turn();
    expect(got.slice(9)).toEqual(['ada']);
  });

  it('give what becomes free to whoever has the least', async () => {
    const { got, ends, take } = taker(shares());
    for (const name of ['ada', 'ben', 'cleo']) await take(name, 9);
    ends[0]!();
    await turn();
    expect(got.slice(6)).toEqual(['cleo']);
    ends[3]!();
    ends[1]!();
    await turn();
    expect(got.slice(7)).toEqual(['cleo', 'ada']);
  });

  it('let a large amount wait until it fits, and nobody who has more overtakes it', async () => {
    const { got, ends, take } = taker(shares({ all: 4 }));
    await take('ada', 3);
    await take('ben', 1, 3);
    await take('ada', 1);
    ends[0]!();
    await turn();
    expect(got.slice(3)).toEqual([]);
    ends[1]!();
    await turn();
    expect(got.slice(3)).toEqual(['ben']);
  });

  it('refuse the person who has too much, and the others as busy, each with the time to come back', async () => {
    const full = shares({ waiting: 0 });
    for (const name of ['ada', 'ben']) for (let i = 0; i < 3; i++) await full.take(name, 1);
    await expect(full.take('ada', 1)).rejects.toMatchObject({
      code: 'rate_limited',
      detail: 'you have too much',
      retryAfterSeconds: 5,
    });
    await expect(full.take('cleo', 1)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 });
    expect(full.used).toBe(6);
  });

  it('make nobody wait who need not, and forget everybody who has given back', async () => {
    const bounded = shares();
    expect(bounded.take('ada', 9)).toBeUndefined();
    const later = bounded.take('ada', 1);
    expect(later).toBeInstanceOf(Promise);
    bounded.giveBack('ada', 9);
    await later;
    bounded.giveBack('ada', 1);
    expect(bounded.used).toBe(0);
    expect(bounded.take('ben', 3)).toBeUndefined();
  });

  it('let a person wait only so often and only so long', async () => {
    const bounded = shares({ waiting: 1, waitMs: 20 });
    await bounded.take('ada', 3);
    const first = bounded.take('ada', 1);
    await expect(bounded.take('ada', 1)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(first).rejects.toMatchObject({ code: 'rate_limited' });
    bounded.giveBack('ada', 3);
    expect(await bounded.use('ada', 3, {}, () => Promise.resolve(bounded.used))).toBe(3);
    expect(bounded.used).toBe(0);
  });

  it('let little of a person wait that is there already, but one thing of any size', async () => {
    const from = shares({ each: 3, waitingThere: 2 });
    await from.take('ada', 3);
    const there = (amount: number) => Promise.resolve(from.take('ada', amount, { isThere: true }));
    const large = there(3);
    await expect(there(1)).rejects.toMatchObject({ code: 'rate_limited' });
    const other = from.take('ada', 1);
    from.giveBack('ada', 3);
    await large;
    const small = [there(1), there(1)];
    await expect(there(1)).rejects.toMatchObject({ code: 'rate_limited' });
    from.giveBack('ada', 3);
    await Promise.all([other, ...small]);
  });

  it('tell a person that they have too much, also when they ask for little behind what they wait for', async () => {
    const bounded = shares({ waiting: 1, waitMs: 20 });
    await bounded.take('ada', 2);
    const large = bounded.take('ada', 3);
    await expect(bounded.take('ada', 1)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(large).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('forget whoever leaves while they wait, and serve whom they held up', async () => {
    const bounded = shares({ all: 4 });
    await bounded.take('ada', 2);
    const gone = new AbortController();
    const large = bounded.take('ben', 3, gone);
    const small = bounded.take('ada', 1);
    gone.abort(new Error('gone'));
    await expect(large).rejects.toThrow('gone');
    await small;
    expect(bounded.take('ben', 1, { signal: AbortSignal.abort(new Error('gone before')) })).toBeUndefined();
    await expect(bounded.take('ben', 1, { signal: AbortSignal.abort(new Error('gone before')) })).rejects.toThrow(
      'gone before',
    );
    expect(bounded.used).toBe(4);
  });
});
