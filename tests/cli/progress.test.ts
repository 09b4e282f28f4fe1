import { describe, expect, it } from '@jest/globals';
import { durationText } from '../../src/cli/terminal/text.ts';
import { progressText } from '../../src/cli/terminal/progress.ts';

const MIB = 1024 * 1024;

describe('progressText', () => {
  it.each([
    ['one file', [1, 0], [100 * MIB, 50 * MIB, 0], '50 MiB of 100 MiB | 10 MiB/s | 5s left'],
    ['several files', [12, 3], [100 * MIB, 50 * MIB, 0], '3 of 12 files | 50 MiB of 100 MiB | 10 MiB/s | 5s left'],
    [
      'what was there from an earlier run is not counted as speed',
      [1, 0],
      [100 * MIB, 50 * MIB, 40 * MIB],
      '50 MiB of 100 MiB | 2.0 MiB/s | 25s left',
    ],
    ['nothing sent yet', [1, 0], [100 * MIB, 0, 0], '0 B of 100 MiB | 0 B/s'],
    ['copies within the service', [3, 2], [0, 0, 0], '2 of 3 files'],
  ] as const)('%s', (_what, [all, done], [allBytes, doneBytes, before], text) => {
    expect(progressText({ all, done }, { all: allBytes, done: doneBytes, before }, 5)).toBe(text);
  });
});

describe('durationText', () => {
  it.each([
    [0, '0s'],
    [59, '59s'],
    [61, '1m01s'],
    [7500, '2h05m'],
  ])('%d seconds are `%s`', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
