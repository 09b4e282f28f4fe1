import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A piece of a file, and whether it ran. Pieces lie inside one another; the narrowest counts. */
type Piece = readonly [start: number, end: number, ran: boolean];

/** What ran of the files of `src`, by their paths: of each file one list for each time that it was loaded. */
export type Ran = Readonly<Record<string, readonly (readonly Piece[])[]>>;

/** Sees what runs in this process. Types are stripped in place, so positions are those of the source. */
export class Coverage {
  readonly #root: string;
  readonly #session = new Session();

  constructor(root: string) {
    this.#root = root;
  }

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
  }

  async stop(): Promise<Ran> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    this.#session.disconnect();
    const ran: Record<string, (readonly Piece[])[]> = {};
    for (const { url, functions } of result) {
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
