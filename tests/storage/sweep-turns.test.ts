import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SweepTurns } from '../../src/storage/sweep-turns.ts';

describe('the turns of sweeps', () => {
  it('give a person 16 calls at once, all people 48, and somebody new the next one', async () => {
    const turns = new SweepTurns();
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const call = async (person: string, times: number): Promise<void> => {
      const { call } = turns.enter(person);
      for (let i = 0; i < times; i++) {
        void call(() => {
          begun.push(person);
          return new Promise<void>((resolve) => ends.push(resolve));
        });
      }
      await turn();
    };
    await call('ada', 40);
    expect(begun).toHaveLength(16);
    for (const person of ['ben', 'cleo', 'ada']) await call(person, 40);
    expect(begun).toHaveLength(48);
    await call('dan', 1);
    expect(begun).toHaveLength(48);
    ends[0]!();
    await turn();
    expect(begun.slice(48)).toEqual(['dan']);
    for (const end of ends) end();
    await turn();
    expect(begun).toHaveLength(49 + 48);
  });
});
