import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AtomicAction } from '../../src/policy/model/action.ts';
import { compileGrants, EVERYTHING, NOTHING, type Grants } from '../../src/policy/index/grants.ts';
import { keyFilter } from '../../src/policy/listing/key-filter.ts';
import { afterPrefix, compareKeys } from '../../src/policy/index/key-order.ts';
import { nextAllowed } from '../../src/policy/listing/ranges.ts';
import type { Selector } from '../../src/policy/model/resource.ts';
import type { Policy } from '../../src/policy/model/rule.ts';
import { interestingKeys, key, policies } from './arbitraries.ts';
import { decideNaively } from './oracle.ts';

const LAST = '\u{10ffff}';
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A bucket that lists as S3 does: by the bytes of the keys, a page at a time, and counts how often it is asked. */
class Bucket {
  calls = 0;
  readonly #keys: readonly string[];

  constructor(keys: Iterable<string>) {
    this.#keys = [...new Set(keys)].sort(byBytes);
  }

  list(prefix: string, startAfter: string, limit: number) {
    this.calls++;
    const rest = this.#keys.filter((name) => name.startsWith(prefix) && byBytes(name, startAfter) > 0);
    return { keys: rest.slice(0, limit), truncated: rest.length > limit };
  }
}

const at = (prefix: string) => ({ provider: 'p', bucket: 'b', prefix });

/** The loop of `nextAllowed`'s documentation. */
function listAll(grants: Grants, action: AtomicAction, bucket: Bucket, prefix: string, pageSize: number): string[] {
  const shown: string[] = [];
  const isAllowed = keyFilter(grants, action, at(''));
  let run = nextAllowed(grants, action, at(prefix), '');
  for (let position = ''; run !== undefined;) {
    if (!run.prefix.startsWith(prefix)) throw new Error(`\`${run.prefix}\` is outside of \`${prefix}\``);
    if (bucket.calls > 1_000) throw new Error('the listing does not end');
    const page = bucket.list(run.prefix, run.after, pageSize);
    shown.push(...page.keys.filter(isAllowed));
    const end = page.truncated ? page.keys.at(-1)! : afterPrefix(run.prefix);
    if (compareKeys(run.after, position) < 0 || compareKeys(end, position) <= 0)
      throw new Error(`the listing does not get ahead of ${JSON.stringify(position)}`);
    position = end;
    run = nextAllowed(grants, action, at(prefix), end);
  }
  return shown;
}

const objectRules = (effect: 'allow' | 'deny', ...resources: Selector[]): Policy => ({
  name: effect,
  source: 'config',
  rules: [{ effect, actions: ['objects:list'], resources }],
});
const prefixOf = (prefix: string): Selector => ({ type: 'prefix', provider: 'p', bucket: 'b', prefix });
const keyOf = (name: string): Selector => ({ type: 'object', provider: 'p', bucket: 'b', key: name });
const numbered = (stem: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${stem}${String(i).padStart(5, '0')}`);

/** Characters at which orders differ, or at which a range could be taken for its end; the halves of a character come from rules that were read wrongly. */
const oddText = fc
  .array(
    fc.constantFrom(
      'a',
      '/',
      '\0',
      '\x7f',
      '\u07ff',
      '\ud7ff',
      '\ue000',
      '\uff5e',
      '\uffff',
      '\u{10000}',
      '😀',
      '😁',
      '\u{10fffe}',
      LAST,
      LAST,
      LAST,
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const longText = fc
  .tuple(oddText, fc.constantFrom(1019, 1020, 1021, 1022, 1023, 1024))
  .map(([start, bytes]) => start + LAST.repeat(Math.floor((bytes - Buffer.byteLength(start)) / 4)));
const oddKey = fc.oneof({ weight: 6, arbitrary: oddText }, { weight: 1, arbitrary: longText });
const oddRules = (texts: fc.Arbitrary<string>) =>
  fc
    .array(
      fc.record({
        effect: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const),
        selector: fc.oneof(texts.map(prefixOf), texts.map(keyOf)),
      }),
      { maxLength: 8 },
    )
    .map((rules) => rules.map(({ effect, selector }) => objectRules(effect, selector)));

describe('nextAllowed', () => {
  it('sees each allowed key once, and gets ahead with each call, whatever characters keys and rules are made of', () => {
    fc.assert(
      fc.property(
        oddRules(oddKey),
        oddKey,
        fc.array(oddKey, { maxLength: 30 }),
        fc.integer({ min: 1, max: 4 }),
        (given, prefix, more, pageSize) => {
          const named = given.flatMap(({ rules }) =>
            rules.flatMap(({ resources }) =>
              resources.flatMap((selector) =>
                'prefix' in selector ? selector.prefix : 'key' in selector ? selector.key : [],
              ),
            ),
          );
          const keys = [
            ...more,
            ...named,
            ...named.flatMap((text) => [`${text}a`, text + LAST, afterPrefix(text)]),
          ].filter((name) => name !== '' && Buffer.byteLength(name) <= 1024);
          const isAllowed = keyFilter(compileGrants(given), 'objects:list', at(''));
          const expected = [...new Set(keys)]
            .filter((name) => name.startsWith(prefix) && isAllowed(name))
            .sort(byBytes);
          expect(listAll(compileGrants(given), 'objects:list', new Bucket(keys), prefix, pageSize)).toEqual(expected);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('gets ahead although a rule ends within a character', () => {
    const halves = oddText.chain((text) => fc.constantFrom(`${text}\ud83d`, `${text}\udbff`, `${text}\ude00`));
    fc.assert(
      fc.property(
        oddRules(fc.oneof(halves, oddText)),
        oddText,
        fc.array(oddText, { maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        (given, prefix, keys, pageSize) => {
          listAll(compileGrants(given), 'objects:list', new Bucket(keys), prefix, pageSize);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('leads a listing to every allowed key, once and in byte order, with any page size', () => {
    fc.assert(
      fc.property(policies, key, fc.integer({ min: 1, max: 7 }), fc.array(key), (given, prefix, pageSize, more) => {
        const keys = [...interestingKeys(given), ...more].filter((name) => name !== '');
        const expected = [...new Set(keys)]
          .filter((name) => name.startsWith(prefix))
          .filter(
            (name) =>
              decideNaively(given, 'objects:list', { kind: 'object', provider: 'p', bucket: 'b', key: name }) ===
              'allowed',
          )
          .sort(byBytes);
        const bucket = new Bucket(keys);
        expect(listAll(compileGrants(given), 'objects:list', bucket, prefix, pageSize)).toEqual(expected);

        const selectors = given.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources)).length;
        expect(bucket.calls).toBeLessThanOrEqual(Math.ceil(expected.length / pageSize) + 3 * selectors + 1);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds ten keys among twenty thousand with one call', () => {
    const bucket = new Bucket([...numbered('a', 10_000), ...numbered('m', 10), ...numbered('z', 10_000)]);
    const grants = compileGrants([objectRules('allow', prefixOf('m'))]);
    expect(listAll(grants, 'objects:list', bucket, '', 1000)).toHaveLength(10);
    expect(bucket.calls).toBe(1);
  });

  it('steps over a denied prefix of ten thousand keys with one call more', () => {
    const bucket = new Bucket([...numbered('a/', 10), ...numbered('a/secret/', 10_000), ...numbered('a/tail/', 10)]);
    const grants = compileGrants([objectRules('allow', prefixOf('a/')), objectRules('deny', prefixOf('a/secret/'))]);
    expect(listAll(grants, 'objects:list', bucket, '', 1000)).toHaveLength(20);
    expect(bucket.calls).toBe(2);
  });

  it.each(['', 'a/'])(
    'goes to single allowed keys beneath `%s` without reading what lies before and between',
    (stem) => {
      const bucket = new Bucket(numbered(stem, 20_000));
      const allowed = [`${stem}05000`, `${stem}19999`];
      const grants = compileGrants([objectRules('allow', ...allowed.map(keyOf))]);
      expect(listAll(grants, 'objects:list', bucket, '', 1000)).toEqual(allowed);
      expect(bucket.calls).toBe(2);
    },
  );

  it('merges a prefix into the one around it', () => {
    const grants = compileGrants([objectRules('allow', prefixOf('a/b/'), prefixOf('a/'), keyOf('a/b'))]);
    expect(nextAllowed(grants, 'objects:list', at(''), '')?.prefix).toBe('a/');
    expect(nextAllowed(grants, 'objects:list', at(''), afterPrefix('a/'))).toBeUndefined();
  });

  it('stays inside the prefix that is listed', () => {
    const grants = compileGrants([objectRules('allow', prefixOf('a/'), prefixOf('c/'))]);
    expect(nextAllowed(grants, 'objects:list', at('a/x/'), '')).toEqual({ prefix: 'a/x/', after: '' });
    expect(nextAllowed(grants, 'objects:list', at('b/'), '')).toBeUndefined();
    expect(nextAllowed(grants, 'objects:list', at('a/'), 'b')).toBeUndefined();
  });

  it('leads into a prefix of which only the key with its own name is denied', () => {
    const grants = compileGrants([objectRules('allow', prefixOf('a/')), objectRules('deny', keyOf('a/'))]);
    for (const prefix of ['', 'a', 'a/']) {
      expect(nextAllowed(grants, 'objects:list', at(prefix), '')?.prefix).toBe('a/');
      expect(listAll(grants, 'objects:list', new Bucket(['a', 'a/', 'a/1', 'a/b/', 'b']), prefix, 1)).toEqual([
        'a/1',
        'a/b/',
      ]);
    }
    expect(nextAllowed(grants, 'objects:list', at(''), 'a/')).toEqual({ prefix: 'a/', after: 'a/' });
  });

  it('steps over the keys between a denied prefix that is listed and what is allowed in it', () => {
    const grants = compileGrants([objectRules('allow', prefixOf('a/m/')), objectRules('deny', keyOf('a/'))]);
    const bucket = new Bucket(['a/', ...numbered('a/b', 10_000), 'a/m/1', ...numbered('a/z', 10_000)]);
    expect(listAll(grants, 'objects:list', bucket, 'a/', 1000)).toEqual(['a/m/1']);
    expect(bucket.calls).toBe(1);
  });

  it('does not lead to a key again that the listing ended with', () => {
    const grants = compileGrants([objectRules('allow', keyOf('a'))]);
    expect(nextAllowed(grants, 'objects:list', at('a'), '')).toEqual({ prefix: 'a', after: '' });
    expect(nextAllowed(grants, 'objects:list', at('a'), 'a')).toBeUndefined();
    expect(nextAllowed(grants, 'objects:list', at(''), 'a')).toBeUndefined();
  });

  it('goes on from a cursor inside a run', () => {
    const grants = compileGrants([objectRules('allow', prefixOf('a/'))]);
    expect(nextAllowed(grants, 'objects:list', at(''), 'a/m')).toEqual({ prefix: 'a/', after: 'a/m' });
  });

  it('puts U+FF5E before an emoji, as storage does and UTF-16 does not', () => {
    const grants = compileGrants([objectRules('allow', prefixOf('😀'), prefixOf('\uff5e'))]);
    expect(nextAllowed(grants, 'objects:list', at(''), '')?.prefix).toBe('\uff5e');
    expect(nextAllowed(grants, 'objects:list', at(''), afterPrefix('\uff5e'))?.prefix).toBe('😀');
  });

  it('asks storage nothing for a caller without a grant, and everything at once for one who may do everything', () => {
    expect(nextAllowed(NOTHING, 'objects:list', at(''), '')).toBeUndefined();
    expect(nextAllowed(EVERYTHING, 'objects:list', at('x'), '')).toEqual({ prefix: 'x', after: '' });
    expect(nextAllowed(EVERYTHING, 'objects:list', at('x'), afterPrefix('x'))).toBeUndefined();
  });
});
