import { invalidRequest } from '../access/invalid.ts';
import type { ListedObject } from '../storage/bucket-page.ts';
import { sharedLength } from '../storage/split-point.ts';
import { copyString } from '../storage/copy-string.ts';
import { kindOfKey } from '../wire/kind.ts';
import type { OperationInput, OperationLine } from '../wire/operations.ts';
import { parseTimestamp } from './parse-timestamp.ts';

/** A hit. `number` counts from 1 and is the position of `key` among the searched keys. */
export type Hit = { readonly number: number; readonly key: string; readonly line: OperationLine<'object/search'> };

/** What a search keeps of the objects of a page: their number, the last key, and the hits in order. */
export type PageHits = { readonly seen: number; readonly last: string | undefined; readonly hits: readonly Hit[] };

/** The maximum number of named folders around a key: each takes at least two of its bytes. */
const MOST_FOLDERS_OF_A_KEY = 512;

/** The limit of the Stream-Safe Text Format (Unicode Standard Annex #15). */
const MOST_MARKS = 30;

type Query = Pick<
  OperationInput<'object/search'>,
  'q' | 'prefix' | 'folders' | 'kind' | 'minSize' | 'maxSize' | 'after' | 'before' | 'tag'
>;

/**
 * Compiles a search. A text with a slash is searched for in the path below the prefix, any other text in the last part of the path. Letter case is ignored, and
 * so is the Unicode form of accents. Folders are found on request, and only by a text, because they have no size and no date.
 *
 * @param most - how many hits an answer reports. Of a page with many more, only hits that could be reported are kept.
 * @throws {SvcError} `invalid_request` for an invalid date.
 */
export function pageMatcher(
  { q = '', prefix = '', folders = false, kind, minSize = 0, maxSize = Infinity, after, before, tag }: Query,
  most: number,
): (objects: readonly ListedObject[]) => PageHits {
  const sought = folded(q);
  const [from, to] = [timeOf('after', after), timeOf('before', before)];
  const isPath = q.includes('/');
  const hasFilter =
    kind !== undefined ||
    minSize > 0 ||
    maxSize < Infinity ||
    from !== undefined ||
    to !== undefined ||
    tag !== undefined;
  const findsFolders = folders && sought !== '' && !isPath && !hasFilter;
  const leavesFolders = findsFolders || tag !== undefined;
  const isNamed = (key: string) =>
    sought === '' || folded(isPath ? key.slice(prefix.length) : nameOf(key)).includes(sought);
  const isWithin = ({ size, lastModified }: ListedObject) =>
    size >= minSize &&
    size <= maxSize &&
    (from === undefined || lastModified >= from) &&
    (to === undefined || lastModified < to);
  // The object that stands for a folder is reported as that folder, and a folder has no tags.
  const matches = (object: ListedObject) =>
    isNamed(object.key) &&
    isWithin(object) &&
    (kind === undefined || kindOfKey(object.key) === kind) &&
    !(leavesFolders && object.key.endsWith('/'));

  return (objects) => {
    const hits: Hit[] = [];
    let last = '';
    for (const [i, object] of objects.entries()) {
      // The margin is there because the folders of the first key may have been reported already.
      if (hits.length >= most + MOST_FOLDERS_OF_A_KEY) break;
      if (findsFolders)
        hits.push(...folderHits(i + 1, object.key, Math.max(prefix.length, sharedLength(last, object.key)), sought));
      if (matches(object)) hits.push(objectHit(i + 1, object));
      last = object.key;
    }
    const end = objects.at(-1)?.key;
    return { seen: objects.length, last: end === undefined ? undefined : copyString(end), hits };
  };
}

/** The folders around a key that match by name and whose slash is at index `from` or later. */
function folderHits(number: number, key: string, from: number, sought: string): Hit[] {
  const begin = key.lastIndexOf('/', from - 1) + 1;
  // Folds all names at once, because a key may be in hundreds of folders.
  const names = folded(key.slice(begin, key.lastIndexOf('/') + 1));
  const ends: number[] = [];
  let [at, end] = [0, begin];
  for (let hit = names.indexOf(sought); hit !== -1; hit = names.indexOf(sought, at)) {
    // The same folder in both texts, whose lengths may differ.
    for (; at <= hit; at = names.indexOf('/', at) + 1) end = key.indexOf('/', end) + 1;
    ends.push(end);
  }
  if (ends.length === 0) return [];
  // All folders of a key share its text.
  const own = copyString(key);
  return ends.map((end) => ({ number, key: own, line: { prefix: own.slice(0, end) } }));
}

function objectHit(number: number, { key, size, etag, lastModified }: ListedObject): Hit {
  const own = copyString(key);
  return {
    number,
    key: own,
    line: { object: { key: own, size, etag: copyString(etag), lastModified: copyString(lastModified) } },
  };
}

/** The last part of a key, without a slash at its end. */
function nameOf(key: string): string {
  const end = key.endsWith('/') ? key.length - 1 : key.length;
  return key.slice(key.lastIndexOf('/', end - 1) + 1, end);
}

/** The form in which texts are compared. Of more combining marks in a row than any script has, the rest does not count: sorting them takes quadratic time. */
export function folded(text: string): string {
  return text
    .replace(/\p{M}{2,}/gu, (marks) => marks.slice(0, MOST_MARKS))
    .normalize('NFC')
    .toLowerCase();
}

/** Converts a date to the form in which listings give times, so that both can be compared as texts. */
function timeOf(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = parseTimestamp(text);
  if (time === undefined)
    throw invalidRequest({ path, message: 'is no date; write `2025-01-31` or `2025-01-31T12:00:00Z`' });
  return new Date(time).toISOString();
}
