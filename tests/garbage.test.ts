import { describe, expect, it } from '@jest/globals';
import { giveBackMemory } from '../src/garbage.ts';

describe('giveBackMemory', () => {
  it('gives back what is no longer used, also the room for new objects', () => {
    const kept = Array.from({ length: 500_000 }, (_, i) => ({ i, text: `text ${i}` }));
    const before = process.memoryUsage().heapTotal;
    kept.length = 0;
    giveBackMemory();
    expect(process.memoryUsage().heapTotal).toBeLessThan(before - 20_000_000);
    expect(Reflect.get(globalThis, 'gc')).toBeUndefined();
  });
});
