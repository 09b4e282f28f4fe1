import { safePath } from './names.ts';

export const NOT_INCLUDED = 'NOT-INCLUDED.txt';

/** The maximum number of names that are kept, which limits memory. Further keys are only counted. */
const MAX_NAMES = 10_000;

/** Collects the keys that an archive leaves out, for a file in the archive that lists them. Add only keys that the caller may list. */
export class NotIncluded {
  readonly #base: string;
  readonly #names: string[] = [];
  #count = 0;

  /** @param base - the common prefix of all keys, which the names leave out. */
  constructor(base: string) {
    this.#base = base;
  }

  add(key: string): void {
    this.#count += 1;
    if (this.#names.length < MAX_NAMES) this.#names.push(safePath(key.slice(this.#base.length)));
  }

  /** The content of the file; undefined when nothing was left out. */
  text(): string | undefined {
    if (this.#count === 0) return undefined;
    const more = this.#count - this.#names.length;
    return [
      'These files are not in this archive, because you may not download them:',
      '',
      ...this.#names,
      ...(more > 0 ? [`and ${more} more`] : []),
      '',
    ].join('\n');
  }
}
