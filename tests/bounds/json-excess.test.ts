import { describe, expect, it } from '@jest/globals';
import { jsonExcess } from '../../src/bounds/json-excess.ts';

const many = (count: number, each: (i: number) => string) => Array.from({ length: count }, (_, i) => each(i)).join(',');
const part = (i: number) => `{"number":${i + 1},"etag":"${'x'.repeat(64)}"}`;

describe('jsonExcess', () => {
  it('has nothing against the largest requests that there are', () => {
    const parts = `{"jsonrpc":"2.0","id":1,"method":"upload/complete","params":{"provider":"main","bucket":"files","key":"k","id":"u","parts":[${many(10_000, part)}]}}`;
    expect(jsonExcess(parts)).toBeUndefined();
    const selectors = `[${many(50, () => `{"params":{"scope":{"rules":[{"actions":["objects:get"],"resources":[${many(30, () => '{"type":"all"}')}]}]}}}`)}]`;
    expect(jsonExcess(selectors)).toBeUndefined();
    expect(jsonExcess(`{"keys":[${many(2_000, () => `"${'x'.repeat(1_024)}"`)}]}`)).toBeUndefined();
  });

  it.each([
    ['is nested more than 16 deep', `${'['.repeat(17)}${']'.repeat(17)}`],
    ['is nested more than 16 deep', `${'{"a":'.repeat(16)}[]${'}'.repeat(16)}`],
    ['has more than 20500 members', `{${many(20_501, (i) => `"${i}":0`)}}`],
    ['has more than 10500 lists and objects', `[${many(10_500, () => '{}')}]`],
  ])('%s', (excess, json) => {
    expect(jsonExcess(json)).toBe(excess);
  });

  it('counts up to its limits', () => {
    expect(jsonExcess(`${'['.repeat(16)}${']'.repeat(16)}`)).toBeUndefined();
    expect(jsonExcess(`{${many(20_500, (i) => `"${i}":0`)}}`)).toBeUndefined();
    expect(jsonExcess(`[${many(10_499, () => '{}')}]`)).toBeUndefined();
  });

  it('does not count what stands in texts, however they are escaped', () => {
    const signs = '[{:'.repeat(30_000);
    for (const text of [signs, `\\"${signs}`, `\\\\\\"${signs}`, `${signs}\\\\`]) {
      expect(jsonExcess(`{"a":"${text}","b":[]}`)).toBeUndefined();
      expect(jsonExcess(`{"a":"${text}","b":${'['.repeat(17)}`)).toBe('is nested more than 16 deep');
    }
  });

  it('comes to an end on what is not JSON', () => {
    for (const text of ['', '"', '"\\', ']]]]', '{"a', '\\"[']) expect(jsonExcess(text)).toBeUndefined();
  });
});
