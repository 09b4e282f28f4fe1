import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

type Line<T> = { readonly id: number; readonly is: T | null };

/**
 * Stores values by number in a file of the user alone (mode 0600), so that they survive a kill.
 *
 * Each change is appended as a line, so that it costs as little with a hundred thousand values as with ten. An incomplete last line is ignored.
 */
export class Journal<T> {
  readonly #path: string;
  #isThere = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file, and rewrites it without deleted values. Call it once, at the start. */
  open(): Map<number, T> {
    const values = new Map<number, T>();
    for (const { id, is } of linesOf<T>(this.#path)) {
      if (is === null) values.delete(id);
      else values.set(id, is);
    }
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.new`;
    writeFileSync(draft, textOf([...values].map(([id, is]) => ({ id, is }))), { mode: 0o600 });
    renameSync(draft, this.#path);
    this.#isThere = true;
    return values;
  }

  set(values: Iterable<readonly [number, T]>): void {
    this.#append([...values].map(([id, is]) => ({ id, is })));
  }

  delete(id: number): void {
    this.#append([{ id, is: null }]);
  }

  #append(lines: readonly Line<T>[]): void {
    if (!this.#isThere) this.open();
    // After a failed write, the file may end within a line. The next one rewrites it.
    this.#isThere = false;
    appendFileSync(this.#path, textOf(lines), { mode: 0o600 });
    this.#isThere = true;
  }
}

function textOf(lines: readonly Line<unknown>[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function linesOf<T>(path: string): Line<T>[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line<T>];
    } catch {
      return [];
    }
  });
}
