import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ApiKey } from '../../src/apikey/api-key.ts';
import { LastUse } from '../../src/apikey/last-use.ts';

const MINUTE_MS = 60_000;
const key = (id: string, lastUsedAt: number | null = null): ApiKey => ({
  id,
  description: 'test',
  scope: { rules: [] },
  expiresAt: null,
  creator: { issuer: 'https://id.example', subject: 'ada', groups: [], name: 'Ada' },
  createdAt: 0,
  rotatedAt: null,
  lastUsedAt,
});

let written: [string, number][][];
let lastUse: LastUse;

beforeEach(() => {
  jest.useFakeTimers();
  written = [];
  lastUse = new LastUse(async (uses) => void written.push([...uses]));
});
afterEach(() => {
  jest.useRealTimers();
});

it('writes the uses of a minute together, each key once', async () => {
  lastUse.note(key('a'), MINUTE_MS);
  lastUse.note(key('a'), 2 * MINUTE_MS - 1);
  lastUse.note(key('b'), MINUTE_MS + 1);
  await jest.advanceTimersByTimeAsync(MINUTE_MS - 1);
  expect(written).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(written).toEqual([[['a', MINUTE_MS], ['b', MINUTE_MS + 1]]]);
  lastUse.note(key('a'), 2 * MINUTE_MS);
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  expect(written[1]).toEqual([['a', 2 * MINUTE_MS]]);
});

it('writes nothing when nothing was used, and nothing of a key that was forgotten', async () => {
  lastUse.note(key('a', MINUTE_MS), 2 * MINUTE_MS - 1);
  lastUse.note(key('gone'), MINUTE_MS);
  lastUse.forget('gone');
  expect(lastUse.onto(key('gone')).lastUsedAt).toBeNull();
  await jest.advanceTimersByTimeAsync(2 * MINUTE_MS);
  await lastUse.close();
  expect(written).toEqual([]);
});

it('shows a use that is later than the written one, and the written one otherwise', () => {
  lastUse.note(key('a'), 3 * MINUTE_MS);
  expect(lastUse.onto(key('a')).lastUsedAt).toBe(3 * MINUTE_MS);
  expect(lastUse.onto(key('a', 4 * MINUTE_MS)).lastUsedAt).toBe(4 * MINUTE_MS);
  expect(lastUse.onto(key('b')).lastUsedAt).toBeNull();
});

it('closes when the uses are written, and no timer is left', async () => {
  let finish: () => void = () => undefined;
  const slow = new LastUse(() => new Promise((resolve) => (finish = resolve)));
  slow.note(key('a'), MINUTE_MS);
  let closed = false;
  const closing = slow.close().then(() => (closed = true));
  await jest.advanceTimersByTimeAsync(0);
  expect([closed, jest.getTimerCount()]).toEqual([false, 0]);
  finish();
  await closing;
});

it('goes on when a use cannot be written', async () => {
  const failing = new LastUse(() => Promise.reject(new Error('the disk is full')));
  failing.note(key('a'), MINUTE_MS);
  await expect(failing.close()).resolves.toBeUndefined();
});
