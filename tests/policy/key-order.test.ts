import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterPrefix, compareKeys, justBefore } from '../../src/policy/index/key-order.ts';

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'b', '\0', '\ud7ff', '\ue000', '\uff5e', '\uffff', '\u{10000}', '😀', '😁'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 5,
});

describe('compareKeys', () => {
  it('orders as the bytes of UTF-8 do', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(byBytes(a, b));
      }),
      { numRuns: 5000 },
    );
  });

  it('differs from the order of JavaScript where surrogates meet U+E000 to U+FFFF', () => {
    expect(['\uff5e', '😀'].toSorted()).toEqual(['😀', '\uff5e']);
    expect(compareKeys('😀', '\uff5e')).toBeGreaterThan(0);
  });
});

const LAST = '\u{10ffff}';
/** Some end as the last keys do. */
const other = fc.oneof(
  text,
  text.map((start) => `${start}${LAST.repeat(3)}b`),
  text.map((start) => start + LAST.repeat(Math.floor((1024 - Buffer.byteLength(start)) / 4))),
);

describe('behindPrefix', () => {
  it('is behind every key with the prefix and before every other later key', () => {
    fc.assert(
      fc.property(text, other, other, (prefix, rest, apart) => {
        if (Buffer.byteLength(prefix + rest) <= 1024) expect(byBytes(prefix + rest, afterPrefix(prefix))).not.toBe(1);
        expect(Buffer.byteLength(afterPrefix(prefix))).toBe(1024);
        if (!apart.startsWith(prefix)) expect(byBytes(apart, afterPrefix(prefix))).toBe(byBytes(apart, prefix));
      }),
    );
  });
});

describe('justBefore', () => {
  it('is before the key and behind every earlier key', () => {
    fc.assert(
      fc.property(
        text.filter((value) => value !== ''),
        other,
        (name, apart) => {
          expect(justBefore(name).isWellFormed()).toBe(true);
          expect(byBytes(justBefore(name), name)).toBe(-1);
          if (byBytes(apart, name) < 0) expect(byBytes(apart, justBefore(name))).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['b', `a${LAST}`],
    ['a\0', 'a'],
    ['\ue000', `\ud7ff${LAST}`],
    ['😁', `😀${LAST}`],
    ['\u{10000}', `\uffff${LAST}`],
  ])('of %j is %j', (name, expected) => {
    expect(justBefore(name).replace(/\u{10ffff}{2,}.?$/su, LAST)).toBe(expected);
  });
});
