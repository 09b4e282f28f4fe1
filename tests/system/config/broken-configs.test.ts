import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { configCheck } from '../../../src/cli/service/config-check.ts';
import { SECRET, validConfig, WrittenConfig } from '../../config/written-config.ts';
import { workedMs } from '../../support/worked.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());

/** Of the processor, so that whatever else is running does not count. */
const MAX_WORKED_MS = 60_000;

/** A secret, a line of a stack, or what comes of a value that is not there. */
const SAYS_TOO_MUCH = /canary|^\s+at |\bundefined\b|\[object/m;

const ENV = { ...SECRET, SVC_SESSION_SECRET_PREVIOUS: 'canary-session-secret-of-enough-bytes' };

function check(text: string): { status: number; lines: string[] } {
  const lines: string[] = [];
  writeFileSync(written.file, text);
  const print = (line: string): void => void lines.push(line);
  return { status: configCheck(written.file, ENV, { print, printError: print }), lines };
}

type Place = { readonly holder: Record<string, unknown>; readonly name: string; readonly path: string };

/** Every key and every list entry, outside of IAM documents: what may stand in those is another matter. */
function placesIn(value: unknown, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [{ holder, name, path: at }, ...(name === 'iam' ? [] : placesIn(holder[name], at))];
  });
}

const WRONG_FOR: Readonly<Record<string, readonly unknown[]>> = {
  text: [7, true, null, [], {}, ['a'], '${SVC_THAT_IS_NOT_SET}', '${open'],
  number: ['x', null, [], {}, -1, 1.5, true],
  boolean: ['x', null, 7, [], {}],
  list: ['x', 7, null, true, { a: 1 }],
  mapping: ['x', 7, null, true, [1]],
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'mapping';
  return typeof value === 'string' ? 'text' : typeof value;
}

/** Breaks one place of the configuration, and tells which. */
function breakAt(place: Place, how: number, which: number): string {
  const { holder, name, path } = place;
  const value = holder[name];
  const kind = kindOf(value);
  const closed = kind === 'mapping' && name !== 'roles' && name !== 'iam';
  if (how === 0 && !Array.isArray(holder) && !/^roles\.\w+$/.test(path)) {
    const misspelt = `${name}x`;
    holder[misspelt] = value;
    Reflect.deleteProperty(holder, name);
    // Without its type nobody knows what else belongs into a selector.
    if (/\.resources\.\d+\.type$/.test(path)) return path;
    return path.slice(0, path.length - name.length) + misspelt;
  }
  if (how === 1 && closed) {
    (value as Record<string, unknown>)['no_such_key'] = 'canary-unknown';
    return `${path}.no_such_key`;
  }
  const wrong = WRONG_FOR[kind]!;
  holder[name] = wrong[which % wrong.length];
  // A subject may be a text or a mapping.
  if (/^bindings\.\d+\.subjects\.\d+$/.test(path) && ['text', 'mapping'].includes(kindOf(holder[name])))
    holder[name] = 7;
  return path;
}

describe('svc config check', () => {
  it('answers 10,000 broken configurations with status 2, the key, no stack and no secret', () => {
    const places = placesIn(validConfig()).length;
    const began = workedMs();
    fc.assert(
      fc.property(fc.nat({ max: places - 1 }), fc.nat({ max: 2 }), fc.nat({ max: 7 }), (at, how, which) => {
        const config = validConfig();
        const path = breakAt(placesIn(config)[at]!, how, which);
        const { status, lines } = check(JSON.stringify(config, undefined, 1));
        const text = lines.join('\n');
        if (status !== 2) throw new Error(`${path} is broken, and the status is ${status}`);
        if (!text.includes(`: ${path}`)) throw new Error(`${path} is broken, and the answer is\n${text}`);
        if (SAYS_TOO_MUCH.test(text)) throw new Error(`the answer about ${path} says too much:\n${text}`);
      }),
      { numRuns: 10_000 },
    );
    expect(workedMs() - began).toBeLessThan(MAX_WORKED_MS);
  });

  it('answers files that were cut, spliced or scrambled without a stack and without a secret', () => {
    const source = JSON.stringify(validConfig(), undefined, 1);
    const offset = fc.nat({ max: source.length });
    fc.assert(
      fc.property(
        offset,
        offset,
        fc.constantFrom(
          '',
          '\t',
          '*',
          '&a',
          '!x ',
          '"',
          '{',
          '[',
          ': ',
          '- ',
          '\n',
          '\0',
          '#',
          '${',
          '<<',
          '|',
          '%YAML',
          '\u2028',
        ),
        (from, to, put) => {
          const text = source.slice(0, from) + put + source.slice(to);
          const { status, lines } = check(text);
          expect([0, 2]).toContain(status);
          // What is cut can make a key of a value; keys are named.
          expect(lines.join('\n')).not.toMatch(/canary-(?:client|secret|redis|access)[\w-]{4}|^\s+at /m);
        },
      ),
      { numRuns: 1500 },
    );
  });
});
