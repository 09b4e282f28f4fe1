import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExpiringEntries } from '../../src/state/expiring-entries.ts';
import { Clock } from '../support/clock.ts';

const MINUTE_MS = 60_000;

export type EntriesUnderTest = { readonly entries: ExpiringEntries; close(): Promise<void> };

/** What every store of expiring entries has to do. */
export function expiringEntriesContract(
  name: string,
  open: (options: { readonly now: () => number }) => Promise<EntriesUnderTest>,
): void {
  describe(name, () => {
    let clock: Clock;
    let entries: ExpiringEntries;
    let close: () => Promise<void>;

    beforeEach(async () => {
      clock = new Clock();
      const opened = await open({ now: clock.now });
      entries = opened.entries;
      close = () => opened.close();
    });

    afterEach(() => close());

    const soon = () => clock.now() + MINUTE_MS;

    it('gives a value back, whatever is in it', async () => {
      for (const value of ['', ' ', 'a b c', 'Grüße\n🦊', '{"a":1}', 'x'.repeat(10_000)]) {
        await entries.put('id', value, soon());
        expect(await entries.get('id')).toBe(value);
      }
    });

    it('gives nothing for an id that it does not have, or that differs in case', async () => {
      await entries.put('Ticket', 'v', soon());
      expect(await entries.get('ticket')).toBeUndefined();
      expect(await entries.take('TICKET')).toBeUndefined();
      expect(await entries.get('Ticket')).toBe('v');
    });

    it('puts a value in place of another, with its own expiry', async () => {
      await entries.put('id', 'old', soon());
      await entries.put('id', 'new', clock.now() + 2 * MINUTE_MS);
      clock.advance(MINUTE_MS);
      expect(await entries.get('id')).toBe('new');
    });

    it('ends an entry at its expiry, to the millisecond', async () => {
      await entries.put('got', 'v', soon());
      await entries.put('taken', 'v', soon());
      clock.advance(MINUTE_MS - 1);
      expect(await entries.get('got')).toBe('v');
      clock.advance(1);
      expect(await entries.get('got')).toBeUndefined();
      expect(await entries.take('taken')).toBeUndefined();
    });

    it('does not store what has expired already', async () => {
      await entries.put('id', 'v', clock.now());
      expect(await entries.get('id')).toBeUndefined();
    });

    it('gives an entry to exactly one of those who take it at once', async () => {
      await entries.put('id', 'v', soon());
      const takes = await Promise.all(Array.from({ length: 20 }, () => entries.take('id')));
      expect(takes.filter((value) => value === 'v')).toHaveLength(1);
      expect(takes.filter((value) => value === undefined)).toHaveLength(19);
      expect(await entries.get('id')).toBeUndefined();
    });

    it('is first for exactly one of those who consume at once', async () => {
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => entries.consume('id', soon())));
      expect(outcomes.filter((outcome) => outcome === 'first')).toHaveLength(1);
      clock.advance(MINUTE_MS - 1);
      expect(await entries.consume('id', soon())).toBe('replayed');
      expect(await entries.consume('ID', soon())).toBe('first');
    });

    it('keeps the largest of the numbers that are given at once, until the latest of their ends', async () => {
      expect(await entries.largest('id')).toBeUndefined();
      const numbers = [7, 100, -1, 99.5, 1_900_000_000.25, 0];
      await Promise.all(numbers.map((number) => entries.raise('id', number, soon())));
      expect(await entries.largest('id')).toBe(1_900_000_000.25);
      clock.advance(MINUTE_MS - 1);
      await entries.raise('id', 5, soon());
      clock.advance(1);
      expect(await entries.largest('id')).toBe(1_900_000_000.25);
      expect(await entries.largest('ID')).toBeUndefined();
      clock.advance(MINUTE_MS - 1);
      expect(await entries.largest('id')).toBeUndefined();
    });

    it('keeps consumed ids apart from values', async () => {
      await entries.put('id', 'v', soon());
      expect(await entries.consume('id', soon())).toBe('first');
      expect(await entries.get('id')).toBe('v');
      await entries.remove('id');
      expect(await entries.consume('id', soon())).toBe('replayed');
      expect(await entries.get('id')).toBeUndefined();
    });

    it("keeps as many of one owner's entries as they may have: the oldest make room, and nobody else's", async () => {
      const owner = { id: 'session:a', limit: 3 };
      const put = async (id: string, of = owner) => {
        clock.advance(1);
        await entries.put(id, id, soon(), of);
      };
      const live = async (ids: readonly string[]) =>
        (await Promise.all(ids.map((id) => entries.get(id)))).filter((value) => value !== undefined);
      await put('of another', { id: 'session:b', limit: 3 });
      await entries.put('of nobody', 'of nobody', soon());
      for (const id of ['1', '2', '3']) await put(id);
      expect(await live(['1', '2', '3'])).toEqual(['1', '2', '3']);
      await put('4');
      expect(await live(['1', '2', '3', '4'])).toEqual(['2', '3', '4']);
      // Those that were taken, removed or put again take no place of their own.
      await entries.take('3');
      await put('5');
      await entries.remove('4');
      await put('5');
      await put('6');
      expect(await live(['2', '3', '4', '5', '6'])).toEqual(['2', '5', '6']);
      expect(await live(['of another', 'of nobody'])).toEqual(['of another', 'of nobody']);
    });

    it('gives the places of expired entries to new ones', async () => {
      const owner = { id: 'session:a', limit: 2 };
      await entries.put('long', 'long', clock.now() + 3 * MINUTE_MS, owner);
      await entries.put('short', 'short', clock.now() + 1, owner);
      clock.advance(1);
      await entries.put('new', 'new', soon(), owner);
      expect(await entries.get('long')).toBe('long');
      expect(await entries.get('new')).toBe('new');
    });

    it('removes an entry, and is content when there is none', async () => {
      await entries.put('id', 'v', soon());
      await entries.remove('id');
      await entries.remove('id');
      expect(await entries.get('id')).toBeUndefined();
    });
  });
}
