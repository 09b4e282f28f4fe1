import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RecentTexts } from '../../src/state/recent-texts.ts';

/** What every store of the latest texts has to do. */
export function recentTextsContract(
  name: string,
  open: () => Promise<{ readonly texts: RecentTexts; close: () => Promise<unknown> }>,
): void {
  describe(name, () => {
    let texts: RecentTexts;
    let close: () => Promise<unknown>;
    beforeEach(async () => {
      ({ texts, close } = await open());
    });
    afterEach(() => close());

    it('keeps the latest of each list, the latest first', async () => {
      for (const text of ['1', '2', '3', '4', 'Ä "x" \\u0000 🦊']) await texts.add('a', text, 3);
      await texts.add('b', 'of another list', 1);
      expect(await texts.read('a')).toEqual(['Ä "x" \\u0000 🦊', '4', '3']);
      expect(await texts.read('b')).toEqual(['of another list']);
      expect(await texts.read('A')).toEqual([]);
    });

    it('keeps equal texts, and as many as it should when many come at once', async () => {
      await Promise.all(Array.from({ length: 40 }, () => texts.add('a', 'same', 10)));
      expect(await texts.read('a')).toHaveLength(10);
    });
  });
}
