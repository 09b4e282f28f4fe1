import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Coverage, ranAt } from '../../scripts/mutate/coverage.ts';
import { mutantsOf } from '../../scripts/mutate/folder.ts';
import type { Run } from '../../scripts/mutate/jest.ts';
import { applied, type Mutant } from '../../scripts/mutate/mutant.ts';
import { inOrder, NOTICED } from '../../scripts/mutate/noticing.ts';
import { sampled } from '../../scripts/mutate/sample.ts';
import { Score } from '../../scripts/mutate/score.ts';
import { verdictOf } from '../../scripts/mutate/verdict.ts';

/** The text after each mutant. */
const mutated = (text: string) => mutantsOf('src/x.ts', text).map((mutant) => applied(text, mutant));

describe('mutantsOf', () => {
  it.each([
    ['if (a) b = c;', ['if (true) b = c;', 'if (false) b = c;', 'if (a) ;']],
    ['x = a < b;', [';', 'x = a <= b;']],
    ['x = a && !b;', [';', 'x = a || !b;', 'x = a && b;']],
    ['x = a ?? b;', [';', 'x = a;']],
    [
      'const f = (): boolean => a === b;',
      ['const f = (): boolean => true;', 'const f = (): boolean => false;', 'const f = (): boolean => a !== b;'],
    ],
    ['await f();', [';', 'void f();']],
    ["throw new SvcError('code_rejected', 'say what to do');", [';', "throw new SvcError('', 'say what to do');"]],
    ['const x = [1, true];', ['const x = [2, true];', 'const x = [1, false];']],
    ['const x = keys.filter(isAllowed);', ['const x = keys;']],
    ['const x = keys.some(isAllowed);', ['const x = keys.every(isAllowed);']],
    ['const x = /^a$/i;', ['const x = /a$/i;', 'const x = /^a/i;', 'const x = /^a$/;']],
  ])('breaks `%s` in each way', (text, expected) => {
    expect(mutated(text)).toEqual(expected);
  });

  it.each([
    "import { a } from './a.ts';",
    "type A = 'x' | 1;",
    "const a = { 'b': c as 'd' };",
    "const a = { description: 'x' };",
  ])('leaves `%s` alone: nothing of it runs, or people read it', (text) => {
    expect(mutated(text)).toEqual([]);
  });
});

describe('sampled', () => {
  const items = Array.from({ length: 100 }, (_, i) => i);

  it('draws the same items for the same seed, in their order, and others for another', () => {
    expect(sampled(items, 10, 1)).toEqual(sampled(items, 10, 1));
    expect(sampled(items, 10, 1)).toEqual([...sampled(items, 10, 1)].sort((a, b) => a - b));
    expect(sampled(items, 10, 1)).not.toEqual(sampled(items, 10, 2));
    expect(sampled(items, 200, 1)).toEqual(items);
  });
});

describe('Score', () => {
  it('counts a time-out as noticed, and lists the survivors by danger', () => {
    const mutant = (kind: Mutant['kind'], original: string): Mutant => ({
      file: 'src/x.ts',
      line: 3,
      kind,
      start: 0,
      end: 0,
      original,
      replacement: ';',
    });
    const score = new Score('x', 90);
    score.add(mutant('literal', '1'), { outcome: 'survived' });
    score.add(mutant('throw removed', 'throw\n  e;'), { outcome: 'survived' });
    score.add(mutant('boundary', '<'), { outcome: 'killed' });
    score.add(mutant('condition', 'a'), { outcome: 'timeout' });
    expect(score.percent).toBe(50);
    expect(score.report().split('\n')).toEqual([
      'x: 50 % (1 killed, 1 timeout, 2 survived, 4 of 90 tried)',
      '  throw removed: src/x.ts:3  throw e;  ->  ;',
      '  literal: src/x.ts:3  1  ->  ;',
    ]);
  });
});

describe('verdictOf', () => {
  const failed = (isDoubtful: boolean, file = 'tests/a.test.ts') =>
    ({ result: 'failed', failed: { file, what: 'says no', isDoubtful } }) as const;
  const [passed, noEnd, earlyEnd] = [{ result: 'passed' }, { result: 'timeout' }, { result: 'failed' }] as const;

  /** Runs end as given, one after the other. Each is told as its code and the tests that it was asked for. */
  const verdict = async (...ends: readonly Pick<Run, 'result' | 'failed'>[]) => {
    const runs: string[] = [];
    const { outcome } = await verdictOf(async (isChanged, tests = ['all']) => {
      runs.push(`${isChanged ? 'mutant' : 'original'}: ${tests.join()}`);
      return { failing: [], long: [], milliseconds: {}, ...ends[runs.length - 1]! };
    });
    return [outcome, ...runs];
  };

  it('believes a test that fails at once, and one that passes', async () => {
    expect(await verdict(failed(false))).toEqual(['killed', 'mutant: all']);
    expect(await verdict(passed)).toEqual(['survived', 'mutant: all']);
  });

  it('believes what ends late or not at all when it does so again, and not without the mutant', async () => {
    const again = ['mutant: all', 'mutant: tests/a.test.ts'];
    expect(await verdict(failed(true), failed(true), passed)).toEqual([
      'killed',
      ...again,
      'original: tests/a.test.ts',
    ]);
    expect(await verdict(failed(true), failed(false))).toEqual(['killed', ...again]);
    expect(await verdict(noEnd, noEnd, passed)).toEqual(['timeout', 'mutant: all', 'mutant: all', 'original: all']);
    expect(await verdict(earlyEnd, earlyEnd, passed)).toEqual([
      'killed',
      'mutant: all',
      'mutant: all',
      'original: all',
    ]);
  });

  it('takes no busy machine for a test that noticed, and lets the other tests tell', async () => {
    expect((await verdict(failed(true), passed, passed))[0]).toBe('survived');
    expect((await verdict(failed(true), passed, failed(false, 'tests/b.test.ts')))[0]).toBe('killed');
    expect((await verdict(failed(true), passed, noEnd, passed))[0]).toBe('survived');
    for (const late of [failed(true), noEnd, earlyEnd])
      for (const original of [failed(true), failed(false), noEnd])
        expect((await verdict(late, late, original, late, late, original))[0]).toBe('survived');
  });
});

describe('the tests that are to notice', () => {
  it('name folders of the source', () => {
    expect(Object.keys(NOTICED).filter((folder) => !existsSync(`src/${folder}`))).toEqual([]);
  });

  it('begin with the namesake of the file, then with the last that noticed, and then with the shortest', () => {
    const milliseconds = new Map([
      ['tests/a.test.ts', 300],
      ['tests/b.test.ts', 900],
      ['tests/c.test.ts', 100],
    ]);
    expect(inOrder([...milliseconds.keys()], 'src/b.ts', milliseconds)).toEqual([
      'tests/b.test.ts',
      'tests/c.test.ts',
      'tests/a.test.ts',
    ]);
    expect(inOrder([...milliseconds.keys()], 'src/b.ts', milliseconds, 'tests/a.test.ts')).toEqual([
      'tests/b.test.ts',
      'tests/a.test.ts',
      'tests/c.test.ts',
    ]);
  });

  it('see what ran in a thread of a process that they start', async () => {
    const root = mkdtempSync(join(tmpdir(), 'svc-coverage-'));
    const text = 'const isRun = true;\nif (!isRun) console.log();\n';
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src/a.ts'), text);
    writeFileSync(
      join(root, 'main.mts'),
      "import { Worker } from 'node:worker_threads';\nnew Worker(new URL('src/a.ts', import.meta.url));\n",
    );
    const coverage = new Coverage(root, join(root, 'elsewhere'));
    await coverage.start();
    await once(spawn(process.execPath, [join(root, 'main.mts')]), 'exit');
    const ran = await coverage.stop();
    expect(['const', 'console'].map((word) => ranAt(ran, 'src/a.ts', text.indexOf(word)))).toEqual([true, false]);
    rmSync(root, { recursive: true });
  });

  it('are those that run what is changed: the narrowest piece counts, in any loading of the file', () => {
    const never = [
      [0, 100, true],
      [20, 60, false],
      [30, 40, true],
    ] as const;
    const ran = { 'src/a.ts': [never, [[0, 100, false]]], 'src/b.ts': [never, [[0, 100, true]]] } as const;
    expect([10, 25, 35, 45, 100].map((offset) => ranAt(ran, 'src/a.ts', offset))).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect([ranAt(ran, 'src/b.ts', 25), ranAt(ran, 'src/c.ts', 25), ranAt(undefined, 'src/a.ts', 10)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
