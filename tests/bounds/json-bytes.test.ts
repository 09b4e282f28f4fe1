import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonBytes } from '../../src/bounds/json-bytes.ts';

describe('jsonBytes', () => {
  it('writes what JSON.stringify writes', async () => {
    const member = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.date({ noInvalidDate: true }));
    const value = fc.oneof(
      fc.array(member),
      fc.dictionary(fc.string(), member),
      fc.record({ result: fc.record({ keys: fc.array(member) }) }),
    );
    await fc.assert(
      fc.asyncProperty(value, async (any) => expect((await jsonBytes(any)).toString()).toBe(JSON.stringify(any))),
    );
  });

  it.each([
    ['a list of an answer', (items: string[]) => ({ jsonrpc: '2.0', id: 1, result: { keys: items } })],
    ['a list alone', (items: string[]) => items],
  ])('lets others have their turn while it writes %s that is long', async (_, wrap) => {
    const value = wrap(Array.from({ length: 64 }, (__, i) => 'é'.repeat(65_536) + String(i)));
    const written = new AbortController();
    const writing = jsonBytes(value).finally(() => written.abort());
    let turns = 0;
    for (; !written.signal.aborted; turns += 1) await turn();
    expect(turns).toBeGreaterThanOrEqual(8);
    expect((await writing).equals(Buffer.from(JSON.stringify(value)))).toBe(true);
  });
});
