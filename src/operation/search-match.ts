import { invalidRequest } from '../access/invalid.ts';
import type { ListedObject } from '../storage/bucket-page.ts';
import { sharedLength } from '../storage/fork.ts';
import { ownText } from '../storage/own-text.ts';
import { kindOfKey } from '../wire/kind.ts';
import type { OperationInput, OperationLine } from '../wire/operations.ts';

/** Something that was found, at the key with that number among those that were looked at. */
export type Hit = { readonly number: number; readonly key: string; readonly line: OperationLine<'object/search'> };

/** What a search keeps of the objects of a page: how many there are, the last key, and the hits in order. */
export type PageHits = { readonly seen: number; readonly last: string | undefined; readonly hits: readonly Hit[] };

type Query = Pick<OperationInput<'object/search'>, 'q' | 'prefix' | 'folders' | 'kind' | 'minSize' | 'maxSize' | 'after' | 'before'>;

/**
 * Compiles a search. A text with a slash is looked for in the path below the prefix, any other in the last part of it. Upper and lower case are alike, and
 * so are the two ways to write an accent. Folders are found on request, and by a text alone: they have no size and no date.
 *
 * @throws {SvcError} `invalid_request`: what should be a date is none.
 */
export function pageMatcher({ q = '', prefix = '', folders = false, kind, minSize = 0, maxSize = Infinity, after, before }: Query): (objects: readonly ListedObject[]) => PageHits {
  const sought = folded(q);
  const [from, to] = [timeOf('after', after), timeOf('before', before)];
  const isPath = q.includes('/');
  const hasFilter = kind !== undefined || minSize > 0 || maxSize < Infinity || from !== undefined || to !== undefined;
  const findsFolders = folders && sought !== '' && !isPath && !hasFilter;
  const isNamed = (key: string) => sought === '' || folded(isPath ? key.slice(prefix.length) : nameOf(key)).includes(sought);
  const isWithin = ({ size, lastModified }: ListedObject) => size >= minSize && size <= maxSize && (from === undefined || lastModified >= from) && (to === undefined || lastModified < to);
  // The object that stands for a folder is found as that folder.
  const matches = (object: ListedObject) => isNamed(object.key) && isWithin(object) && (kind === undefined || kindOfKey(object.key) === kind) && !(findsFolders && object.key.endsWith('/'));

  return (objects) => {
    const hits: Hit[] = [];
    let last = '';
    for (const [i, object] of objects.entries()) {
      if (findsFolders) for (const folder of foldersOf(object.key, Math.max(prefix.length, sharedLength(last, object.key)))) if (isNamed(folder)) hits.push(hitOf(i + 1, object.key, { prefix: ownText(folder) }));
      if (matches(object)) hits.push(hitOf(i + 1, object.key, { object: owned(object) }));
      last = object.key;
    }
    return { seen: objects.length, last: last === '' ? undefined : ownText(last), hits };
  };
}

/** The folders around a key whose slash comes at `from` or later. */
function* foldersOf(key: string, from: number): Generator<string, void, void> {
  for (let at = key.indexOf('/', from); at !== -1; at = key.indexOf('/', at + 1)) yield key.slice(0, at + 1);
}

function hitOf(number: number, key: string, line: Hit['line']): Hit {
  return { number, key: line.object?.key ?? ownText(key), line };
}

function owned({ key, size, etag, lastModified }: ListedObject): ListedObject {
  return { key: ownText(key), size, etag: ownText(etag), lastModified: ownText(lastModified) };
}

/** The last part of a key, without the slash at its end. */
function nameOf(key: string): string {
  const end = key.endsWith('/') ? key.length - 1 : key.length;
  return key.slice(key.lastIndexOf('/', end - 1) + 1, end);
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** As listings write times, so that they can be compared as texts. */
function timeOf(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i.test(text) ? new Date(text.toUpperCase()) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) throw invalidRequest({ path, message: 'is no date; write `2025-01-31` or `2025-01-31T12:00:00Z`' });
  return time.toISOString();
}
