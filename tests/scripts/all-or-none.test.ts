import { describe, expect, it } from '@jest/globals';
import { allOrNone } from '../support/all-or-none.ts';

describe('allOrNone', () => {
  const starting = (ended: string[], fails: boolean) =>
    allOrNone(async (parts) => {
      parts.defer(() => void ended.push('first'));
      parts.defer(async () => void ended.push('second'));
      if (fails) throw new Error('the third does not start');
      return { port: 1 };
    });

  it('ends what has started when a later part does not start', async () => {
    const ended: string[] = [];
    await expect(starting(ended, true)).rejects.toThrow('the third does not start');
    expect(ended).toEqual(['second', 'first']);
  });

  it('ends nothing before it is closed, and then the last first', async () => {
    const ended: string[] = [];
    const whole = await starting(ended, false);
    expect({ port: whole.port, ended }).toEqual({ port: 1, ended: [] });
    await whole.close();
    expect(ended).toEqual(['second', 'first']);
  });
});
