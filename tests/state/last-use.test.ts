import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { LastUse } from '../../src/state/last-use.ts';
import { Clock } from '../support/clock.ts';

const MINUTE_MS = 60_000;

let clock: Clock;
let start: number;
let written: [string, number][][];
let lastUse: LastUse;

beforeEach(() => {
  jest.useFakeTimers();
  clock = new Clock();
  start = clock.now();
  written = [];
  lastUse = new LastUse(async (uses) => void written.push([...uses]), clock.now);
});
afterEach(() => {
  jest.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await jest.advanceTimersByTimeAsync(ms);
}

it('writes the uses of a minute together, each session or key once', async () => {
  lastUse.note('a', 0);
  await pass(1);
  lastUse.note('b', 0);
  await pass(MINUTE_MS - 2);
  lastUse.note('a', 0);
  expect(written).toEqual([]);
  await pass(1);
  expect(written).toEqual([
    [
      ['a', start],
      ['b', start + 1],
    ],
  ]);
  lastUse.note('a', 0);
  await pass(MINUTE_MS);
  expect(written[1]).toEqual([['a', start + MINUTE_MS]]);
});

it('writes nothing when nothing was used, and nothing of one that was forgotten', async () => {
  lastUse.note('a', start - MINUTE_MS + 1);
  lastUse.note('gone', 0);
  lastUse.forget('gone');
  expect(lastUse.latest('gone', null)).toBeNull();
  await pass(2 * MINUTE_MS);
  await lastUse.close();
  expect(written).toEqual([]);
});

it('shows a use that is later than the written one, and the written one otherwise', () => {
  lastUse.note('a', 0);
  expect(lastUse.latest('a', undefined)).toBe(start);
  expect(lastUse.latest('a', start + 1)).toBe(start + 1);
  expect(lastUse.latest('b', null)).toBeNull();
});

it('forgets what was written, so that its memory does not grow with those that came and went', async () => {
  for (let i = 0; i < 1_000; i += 1) lastUse.note(`s${i}`, 0);
  await pass(MINUTE_MS);
  expect(written[0]).toHaveLength(1_000);
  expect(lastUse.latest('s1', null)).toBeNull();
});

it('closes when the uses are written, and no timer is left', async () => {
  let finish: () => void = () => undefined;
  const slow = new LastUse(() => new Promise((resolve) => (finish = resolve)), clock.now);
  slow.note('a', 0);
  let closed = false;
  const closing = slow.close().then(() => (closed = true));
  await jest.advanceTimersByTimeAsync(0);
  expect([closed, jest.getTimerCount()]).toEqual([false, 0]);
  finish();
  await closing;
});

it('goes on when a use cannot be written', async () => {
  const failing = new LastUse(() => Promise.reject(new Error('the disk is full')), clock.now);
  failing.note('a', 0);
  await expect(failing.close()).resolves.toBeUndefined();
});
