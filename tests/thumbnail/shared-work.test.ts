import { describe, expect, it } from '@jest/globals';
import { Shares } from '../../src/bounds/shares.ts';
import { SharedWork } from '../../src/thumbnail/shared-work.ts';

/** Two people may have one share each. Ada has hers. */
function joining(waiting: number) {
  const shares = new Shares({ all: 2, each: 1, waiting, tooMuch: 'you have too much' });
  void shares.take('ada', 1);
  const work = new SharedWork<string>(shares);
  const join = (person: string, start: () => Promise<string>, signal = new AbortController().signal) =>
    work.join('picture', { person, signal }, start);
  return { shares, join };
}
const done = (by: string) => () => Promise.resolve(by);

describe('shared work', () => {
  it('is begun by whoever has a share first, and those who still wait for one get its result', async () => {
    const { shares, join } = joining(9);
    const answers = [join('ada', done('ada')), join('vic', done('vic')), join('vic', done('vic again'))];
    expect(await Promise.all(answers)).toEqual(['vic', 'vic', 'vic']);
    expect(shares.used).toBe(1);
    shares.giveBack('ada', 1);
    expect(await join('ada', done('ada'))).toBe('ada');
    expect(shares.used).toBe(0);
  });

  it('is refused only to the person who has too much, and not even to them when another person begins it', async () => {
    const { shares, join } = joining(0);
    expect(await Promise.all([join('ada', done('ada')), join('vic', done('vic'))])).toEqual(['vic', 'vic']);
    await expect(join('ada', done('ada'))).rejects.toMatchObject({ code: 'rate_limited', detail: 'you have too much' });
    expect(shares.used).toBe(1);
  });

  it('leaves nobody waiting for somebody who left, with a share or without', async () => {
    const { shares, join } = joining(9);
    const gone = new AbortController();
    const first = join('ada', done('gone'), gone.signal);
    const second = join('ada', done('second'));
    shares.giveBack('ada', 1);
    gone.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect([await second, shares.used]).toEqual(['second', 0]);
  });
});
