import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { LineOutput } from '../../src/log/line-output.ts';

it('waits for the exit of the process once, however often a line that is written at once comes between', async () => {
  const stream = new PassThrough();
  const output = new LineOutput(stream);
  const before = process.listenerCount('exit');
  for (let at = 0; at < 20; at += 1) {
    void output.writeSoon(`${at} soon\n`);
    output.write(`${at} at once\n`);
  }
  void output.writeSoon('last\n');
  expect(process.listenerCount('exit')).toBe(before + 1);
  await turn();
  expect(process.listenerCount('exit')).toBe(before);
  await output.writeSoon('later\n');
  expect(String(stream.read())).toBe(
    `${Array.from({ length: 20 }, (_, at) => `${at} soon\n${at} at once\n`).join('')}last\nlater\n`,
  );
});
