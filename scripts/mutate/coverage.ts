import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A piece of a file, and whether it ran. Pieces lie inside one another; the narrowest counts. */
type Piece = readonly [start: number, end: number, ran: boolean];

/** What ran of the files of `src`, by their paths: of each file one list for each time that it was loaded. */
export type Ran = Readonly<Record<string, readonly (readonly Piece[])[]>>;

/** Sees what runs in this thread, and in the threads and processes that it starts, once they have ended. Types are stripped in place, so positions are those of the source. */
export class Coverage {
  readonly #root: string;
  readonly #folder: string;
  readonly #session = new Session();

  /** @param folder - where Node writes what ran in other threads and processes. */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  async start(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    process.env['NODE_V8_COVERAGE'] = this.#folder;
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
  }

  async stop(): Promise<Ran> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    this.#session.disconnect();
    delete process.env['NODE_V8_COVERAGE'];
    const ran: Record<string, (readonly Piece[])[]> = {};
    for (const { url, functions } of [...result, ...this.#elsewhere()]) {
      const file = relative(this.#root, url.startsWith('file:') ? fileURLToPath(url) : url);
      if (!file.startsWith('src/')) continue;
      (ran[file] ??= []).push(
        functions.flatMap(({ ranges }) =>
          ranges.map(({ startOffset, endOffset, count }): Piece => [startOffset, endOffset, count > 0]),
        ),
      );
    }
    return ran;
  }

  *#elsewhere(): Generator<Profiler.ScriptCoverage, void, void> {
    for (const name of readdirSync(this.#folder)) {
      try {
        const text = readFileSync(join(this.#folder, name), 'utf8');
        yield* (JSON.parse(text) as { readonly result: readonly Profiler.ScriptCoverage[] }).result;
      } catch {
        // Its process has not written all of it yet.
      }
    }
  }
}

/** Whether what stands there in the file ran. */
export function ranAt(ran: Ran | undefined, file: string, offset: number): boolean {
  return (ran?.[file] ?? []).some((pieces) => {
    let narrowest: Piece | undefined;
    for (const piece of pieces) {
      const [start, end] = piece;
      if (start <= offset && offset < end && (narrowest === undefined || end - start <= narrowest[1] - narrowest[0]))
        narrowest = piece;
    }
    return narrowest?.[2] === true;
  });
}
