import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExpiringEntries } from '../../src/state/expiring-entries.ts';
import { Clock } from '../support/clock.ts';

const MINUTE_MS = 60_000;

export type EntriesUnderTest = { readonly entries: ExpiringEntries; close(): Promise<void> };

/** What every store of expiring entries has to do. */
export function expiringEntriesContract(name: string, open: (options: { readonly now: () => number }) => Promise<EntriesUnderTest>): void {
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

    it('keeps consumed ids apart from values', async () => {
      await entries.put('id', 'v', soon());
      expect(await entries.consume('id', soon())).toBe('first');
      expect(await entries.get('id')).toBe('v');
      await entries.remove('id');
      expect(await entries.consume('id', soon())).toBe('replayed');
      expect(await entries.get('id')).toBeUndefined();
    });

    it('removes an entry, and is content when there is none', async () => {
      await entries.put('id', 'v', soon());
      await entries.remove('id');
      await entries.remove('id');
      expect(await entries.get('id')).toBeUndefined();
    });
  });
}
