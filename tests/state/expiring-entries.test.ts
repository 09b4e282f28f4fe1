import { describe, expect, it } from '@jest/globals';
import { MemoryEntries } from '../../src/state/memory-entries.ts';
import { MemoryRecentTexts } from '../../src/state/recent-texts.ts';
import { recentTextsContract } from '../contract/recent-texts.ts';
import { expiringEntriesContract } from '../contract/expiring-entries.ts';
import { Clock } from '../support/clock.ts';

expiringEntriesContract('MemoryEntries', async (options) => ({
  entries: new MemoryEntries(options),
  close: async () => undefined,
}));
recentTextsContract('MemoryRecentTexts', async () => ({
  texts: new MemoryRecentTexts(),
  close: async () => undefined,
}));
describe('MemoryEntries at capacity', () => {
  it('refuses a new entry, pushes none out, and has room again when some expire', async () => {
    const clock = new Clock();
    const entries = new MemoryEntries({ now: clock.now, capacity: 3 });
    await entries.put('short', 'v', clock.now() + 1_000);
    await entries.put('long', 'v', clock.now() + 60_000);
    await entries.consume('used', clock.now() + 60_000);
    await expect(entries.put('over', 'v', clock.now() + 1_000)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 60,
    });
    await expect(entries.consume('over', clock.now() + 1_000)).rejects.toMatchObject({ code: 'rate_limited' });
    await entries.put('long', 'changed', clock.now() + 60_000);
    expect(await entries.get('short')).toBe('v');
    clock.advance(1_000);
    await entries.put('next', 'v', clock.now() + 1_000);
    expect(await entries.get('long')).toBe('changed');
    expect(await entries.consume('used', clock.now() + 1_000)).toBe('replayed');
  });
});
