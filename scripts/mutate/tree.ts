import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest, type Run, type RunOptions } from './jest.ts';
import { applied, type Mutant } from './mutant.ts';
import { ranAt, type Ran } from './coverage.ts';
import { inOrder, testsOf } from './noticing.ts';
import type { LongTest } from './outcome-reporter.ts';
import type { Verdict } from './score.ts';
import { verdictOf } from './verdict.ts';

/** What the tests do without a mutant: how long each file runs without its long tests, in milliseconds, what it runs of the source, which tests fail, and which are long. */
type Baseline = {
  readonly milliseconds: ReadonlyMap<string, number>;
  readonly ran: ReadonlyMap<string, Ran>;
  readonly failing: readonly string[];
  readonly long: readonly LongTest[];
};

const BASELINE_TIMEOUT_MS_PER_FILE = 120_000;
const TIMEOUT_FACTOR = 3;
const START_MS = 30_000;

/** A copy of the work tree in which mutants are tried. */
export class Tree {
  readonly root: string;
  /** The test file that noticed the last mutant of a file. */
  readonly #noticed = new Map<string, string>();

  private constructor(root: string) {
    this.root = root;
  }

  /** Copies what Git tracks or would track, and the built web UI when there is one; `node_modules` is a link. */
  static async copy(): Promise<Tree> {
    const from = join(import.meta.dirname, '../..');
    const root = await mkdtemp(join(tmpdir(), 'svc-mutate-'));
    // PostgreSQL runs as another user, and reaches its data through this folder.
    await chmod(root, 0o711);
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: from,
      encoding: 'utf8',
    }).split('\0');
    for (const file of [...files, 'dist'])
      if (file !== '' && file !== 'node_modules' && existsSync(join(from, file)))
        await cp(join(from, file), join(root, file), { recursive: true });
    await mkdir(join(root, '.tmp'));
    await symlink(join(from, 'node_modules'), join(root, 'node_modules'));
    return new Tree(root);
  }

  /** Runs the folders' tests as they are. Those that fail, as on a busy machine, could tell no mutant: they are left out. */
  async baseline(folders: readonly string[]): Promise<Baseline> {
    const folder = join(this.root, '.ran');
    await mkdir(folder);
    const tests = [...new Set(folders.flatMap((each) => testsOf(this.root, each)))];
    const { result, milliseconds, failing, long, failed } = await runJest(this.root, tests, {
      timeoutMs: BASELINE_TIMEOUT_MS_PER_FILE * tests.length,
      untilFailure: false,
      ran: folder,
    });
    if (result === 'timeout' || (result === 'failed' && failing.length === 0))
      throw new Error(`the tests of ${folders.join(', ')} cannot run: ${failed?.what ?? 'they ran into the time-out'}`);
    for (const name of failing) console.error(`left out, it failed: ${name}`);
    const ran = new Map<string, Ran>();
    for (const name of await readdir(folder))
      ran.set(decodeURIComponent(name), JSON.parse(await readFile(join(folder, name), 'utf8')) as Ran);
    return { milliseconds: new Map(Object.entries(milliseconds)), ran, failing, long };
  }

  /** Tries the mutant with the tests of its folder that run it; with long ones only when no other notices. */
  async verdict(folder: string, mutant: Mutant, { milliseconds, ran, failing, long }: Baseline): Promise<Verdict> {
    const running = testsOf(this.root, folder).filter((test) => ranAt(ran.get(test), mutant.file, mutant.start));
    if (running.length === 0) return { outcome: 'survived', by: 'no test runs this' };
    const tests = inOrder(running, mutant.file, milliseconds, this.#noticed.get(mutant.file));
    const timeFor = (chosen: readonly string[]): number =>
      chosen.reduce((sum, test) => sum + (milliseconds.get(test) ?? 0), 0);
    const without = [...failing, ...long.map(({ name }) => name)];
    const verdict = await verdictOf((isChanged, chosen = tests) =>
      this.#run(mutant, isChanged, chosen, { timeoutMs: START_MS + TIMEOUT_FACTOR * timeFor(chosen), without }),
    );
    const left = long.filter(({ file }) => running.includes(file));
    if (verdict.outcome !== 'survived' || left.length === 0) return verdict;
    const longMs = TIMEOUT_FACTOR * left.reduce((sum, test) => sum + test.milliseconds, 0);
    const options = {
      timeoutMs: START_MS + TIMEOUT_FACTOR * timeFor(tests) + longMs,
      only: left.map(({ name }) => name),
      testTimeoutMs: longMs,
    };
    return verdictOf((isChanged, chosen = [...new Set(left.map(({ file }) => file))]) =>
      this.#run(mutant, isChanged, chosen, options),
    );
  }

  async #run(
    mutant: Mutant,
    isChanged: boolean,
    tests: readonly string[],
    options: Omit<RunOptions, 'untilFailure'>,
  ): Promise<Run> {
    const path = join(this.root, mutant.file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, isChanged ? applied(text, mutant) : text);
    try {
      const run = await runJest(this.root, tests, { ...options, untilFailure: true });
      if (run.failed !== undefined) this.#noticed.set(mutant.file, run.failed.file);
      return run;
    } finally {
      await writeFile(path, text);
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}
