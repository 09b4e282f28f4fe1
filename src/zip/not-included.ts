import { safePath } from './names.ts';

export const NOT_INCLUDED = 'NOT-INCLUDED.txt';

/** So many names are kept, so that the memory of an archive has an end; of further ones only the number. */
const MAX_NAMES = 10_000;

/** Collects the keys that an archive leaves out, for the file in it that names them. Only keys that the caller may list belong here. */
export class NotIncluded {
  readonly #base: string;
  readonly #names: string[] = [];
  #count = 0;

  /** @param base - the common start of all keys, which the names leave out. */
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
    return ['These files are not in this archive, because you may not download them:', '', ...this.#names, ...(more > 0 ? [`and ${more} more`] : []), ''].join('\n');
  }
}
