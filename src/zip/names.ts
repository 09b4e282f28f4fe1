/** Names that Windows reserves for devices, with any extension. */
const DEVICE_NAME = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d\u00b9\u00b2\u00b3]) *(\.|$)/i;
/** Control characters, characters that end a line, characters that change the direction of text, and characters that Windows does not allow in a file name. */
const UNSAFE = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\\:*?"<>|]/g;

/** Characters that nobody sees. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Combining marks, and the limit of the Stream-Safe Text Format (Unicode Standard Annex #15) for those in a row. */
const MARKS = /\p{M}{2,}/gu;
const MOST_MARKS = 30;

/** About how many bytes of memory a name takes in addition to its characters, and a folder in addition to its name. */
const [NAME_BYTES, FOLDER_BYTES] = [192, 512] as const;

/** The names in one folder of an archive. */
class Folder {
  /** The name that the folder has in its parent. */
  readonly name: string;
  /** The number of the next copy of each taken name, by its folded form. Counting from 2 each time would take quadratic time. */
  readonly copies = new Map<string, number>();
  /** The folders in it, by their raw names. */
  readonly folders = new Map<string, Folder>();

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Gives each key of an archive a name that is safe to unpack anywhere: a relative path without `..`, and unique on
 * systems that ignore case. A key and a folder of the same name get different names too.
 */
export class ArchiveNames {
  readonly #base: string;
  readonly #root = new Folder('');
  #bytes = 0;

  /** @param base - the common prefix of all keys, which the names leave out: empty, or ending in `/`. */
  constructor(base: string) {
    this.#base = base;
  }

  /** About how many bytes of memory the names take, here and in the directory of the archive. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The name of a key. It ends in `/` when the key marks a folder. */
  nameOf(key: string, isFolder: boolean): string {
    const segments = (key.startsWith(this.#base) ? key.slice(this.#base.length) : key).split('/');
    const last = segments.pop()!;
    const path: string[] = [];
    let parent = this.#root;
    for (const segment of segments) {
      parent = this.#folder(parent, segment);
      path.push(parent.name);
    }
    if (last !== '' || !isFolder) path.push(this.#take(parent, safeSegment(last)));
    else path.push(segments.length === 0 ? '_/' : '');
    const name = path.join('/');
    this.#bytes += NAME_BYTES + name.length;
    return name;
  }

  #folder(parent: Folder, segment: string): Folder {
    let folder = parent.folders.get(segment);
    if (folder === undefined) {
      folder = new Folder(this.#take(parent, safeSegment(segment)));
      parent.folders.set(segment, folder);
      this.#bytes += FOLDER_BYTES + 2 * segment.length;
    }
    return folder;
  }

  #take({ copies }: Folder, name: string): string {
    const first = fold(name);
    // The steps double, so that few names are tried where many with numbers are taken.
    for (let copy = copies.get(first) ?? 1, step = 1; ; copy += step, step *= 2) {
      const taken = copy === 1 ? name : numbered(name, copy);
      const folded = fold(taken);
      if (copy > 1 && copies.has(folded)) continue;
      copies.set(folded, 2);
      copies.set(first, copy + 1);
      this.#bytes += taken.length;
      return taken;
    }
  }
}

/**
 * The deepest folder that contains all keys and prefixes, with its `/`; empty for the root of the bucket. The last segment of a prefix is not part of it, so it
 * stays in the names.
 */
export function commonFolder(keys: readonly string[], prefixes: readonly string[]): string {
  const folders = [
    ...keys.map((key) => key.slice(0, key.lastIndexOf('/') + 1)),
    ...prefixes.map((prefix) => prefix.slice(0, prefix.replace(/\/$/, '').lastIndexOf('/') + 1)),
  ];
  // What the first and the last in order have in common, all between them have.
  let [first = '', last = first] = folders;
  for (const folder of folders) {
    if (folder < first) first = folder;
    if (folder > last) last = folder;
  }
  let end = 0;
  for (let at = 0; at < first.length && first[at] === last[at]; at += 1) if (first[at] === '/') end = at + 1;
  return first.slice(0, end);
}

/** The prefixes that do not start with another of the prefixes. In sorted order, a prefix is directly followed by those that start with it. */
export function outermost(prefixes: readonly string[]): string[] {
  const kept: string[] = [];
  for (const prefix of [...new Set(prefixes)].sort()) {
    const last = kept.at(-1);
    if (last === undefined || !prefix.startsWith(last)) kept.push(prefix);
  }
  return kept;
}

/** A key without the characters that archive names must not contain, each replaced by `_`. */
export function safePath(key: string): string {
  return key.replace(UNSAFE, '_');
}

function safeSegment(segment: string): string {
  // A search from each of many blanks would take long, so it begins at the first.
  const safe = safePath(segment).replace(/(?<![. ])[. ]+$/, (end) => '_'.repeat(end.length));
  const seen = safe.replace(INVISIBLE, '');
  return seen === '' || DEVICE_NAME.test(seen) ? `_${safe}` : safe;
}

/**
 * The form in which names are compared: systems that ignore case, Unicode normalization or what nobody sees treat equal forms as one name. Of more combining
 * marks in a row than any script has, the rest does not count: sorting them takes quadratic time.
 */
function fold(name: string): string {
  const plain = name.replace(INVISIBLE, '').replace(MARKS, (marks) => marks.slice(0, MOST_MARKS));
  // Small letters alone keep those apart that have one capital, such as `σ` and `ς`.
  return plain.normalize('NFC').toUpperCase().toLowerCase();
}

/** `report.txt` becomes `report (2).txt`. */
function numbered(name: string, copy: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} (${copy})${name.slice(dot)}` : `${name} (${copy})`;
}
