import { safePath } from './names.ts';

export const NOT_INCLUDED = 'NOT-INCLUDED.txt';

/** How many characters of names are kept, which limits memory. Further keys are only counted. */
const MAX_CHARACTERS = 1_000_000;

/** Collects the keys that an archive leaves out, for a file in the archive that lists them. Add only keys that the caller may list. */
export class NotIncluded {
  readonly #base: string;
  readonly #names: string[] = [];
  #characters = 0;
  #count = 0;

  /** @param base - the common prefix of all keys, which the names leave out. */
  constructor(base: string) {
    this.#base = base;
  }

  add(key: string): void {
    this.#count += 1;
    if (this.#characters > MAX_CHARACTERS) return;
    this.#characters += key.length;
    this.#names.push(safePath(key.slice(this.#base.length)));
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
