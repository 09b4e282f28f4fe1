import { expect, it, jest } from '@jest/globals';
import { HeldMemory } from '../../src/operation/held-memory.ts';

it('an answer of what the service itself keeps waits for its turn however slow the database is', async () => {
  const { answers } = new HeldMemory();
  // All of this is in one turn of the event loop, because other tests share the process and its timers.
  jest.useFakeTimers();
  const turns = Array.from({ length: 16 }, () => Promise.resolve(answers.take('ada', 1)));
  jest.advanceTimersByTime(600_000);
  jest.useRealTimers();
  for (const turn of turns) {
    await turn;
    answers.giveBack('ada', 1);
  }
  expect(answers.used).toBe(0);
});
