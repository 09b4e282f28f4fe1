/** Names that Windows keeps for devices, whatever follows the first dot. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** Control characters, those that turn the direction of text, and what separates or names a drive on Windows. */
const UNSAFE = /[\0-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\\:]/g;

/**
 * Gives each key of an archive a name that is safe to unpack anywhere: a relative path without `..`, and unique on
 * systems that do not tell upper from lower case. A key and a folder of the same name do not meet either.
 */
export class ArchiveNames {
  readonly #base: string;
  readonly #taken = new Set<string>();
  /** The number that the next copy of a name gets, by the folded path of the name: looking from 2 on each time would take quadratic time. */
  readonly #copies = new Map<string, number>();
  /** Safe path of each folder, by the safe path of its parent and its raw name. */
  readonly #folders = new Map<string, string>();

  /** @param base - what all keys begin with and no name should: ends in `/`, or is empty. */
  constructor(base: string) {
    this.#base = base;
  }

  /** The name for a key; it ends in `/` for a key that stands for a folder. */
  nameOf(key: string, isFolder: boolean): string {
    const segments = (key.startsWith(this.#base) ? key.slice(this.#base.length) : key).split('/');
    const last = segments.pop()!;
    const parent = segments.reduce((path, segment) => this.#folder(path, segment), '');
    if (last === '' && isFolder) return parent === '' ? '_/' : parent;
    return this.#take(parent, safeSegment(last));
  }

  #folder(parent: string, segment: string): string {
    const id = `${parent}/${segment}`;
    let path = this.#folders.get(id);
    if (path === undefined) {
      path = `${this.#take(parent, safeSegment(segment))}/`;
      this.#folders.set(id, path);
    }
    return path;
  }

  #take(parent: string, name: string): string {
    const first = fold(parent + name);
    for (let copy = this.#copies.get(first) ?? 1; ; copy++) {
      const path = parent + (copy === 1 ? name : numbered(name, copy));
      const folded = fold(path);
      if (this.#taken.has(folded)) continue;
      this.#taken.add(folded);
      this.#copies.set(first, copy + 1);
      return path;
    }
  }
}

/** The folder that holds everything asked for, with its `/`; empty when that is the bucket. A prefix keeps its own last folder. */
export function commonFolder(keys: readonly string[], prefixes: readonly string[]): string {
  const folders = [...keys.map((key) => key.slice(0, key.lastIndexOf('/') + 1)), ...prefixes.map((prefix) => prefix.slice(0, prefix.replace(/\/$/, '').lastIndexOf('/') + 1))];
  const [first = '', ...others] = folders;
  let common = first;
  while (!others.every((folder) => folder.startsWith(common))) common = common.slice(0, common.slice(0, -1).lastIndexOf('/') + 1);
  return common;
}

/** Those that begin with none of the others. Sorted, what begins with one comes right behind it. */
export function outermost(prefixes: readonly string[]): string[] {
  const kept: string[] = [];
  for (const prefix of [...new Set(prefixes)].sort()) {
    const last = kept.at(-1);
    if (last === undefined || !prefix.startsWith(last)) kept.push(prefix);
  }
  return kept;
}

function safeSegment(segment: string): string {
  const safe = segment.replace(UNSAFE, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  if (safe === '') return '_';
  return DEVICE_NAME.test(safe) ? `_${safe}` : safe;
}

/** What systems that do not tell case or normal form apart take for one name. */
function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** `report.txt` becomes `report (2).txt`. */
function numbered(name: string, copy: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} (${copy})${name.slice(dot)}` : `${name} (${copy})`;
}
