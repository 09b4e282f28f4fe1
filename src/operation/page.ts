import { invalidRequest, UNKNOWN_CURSOR } from '../access/invalid.ts';

/** The position of an item in a list, which is sorted by time with the latest first, then by id. `at` is milliseconds since the epoch. */
export type PagePosition = { readonly at: number; readonly id: string };

type Question = { readonly cursor?: string | undefined; readonly limit?: number | undefined };

const MAX_PAGE = 1_000;
/** A longer answer takes long to write and is too long for a socket. */
const MAX_LENGTH = 4 * 1_048_576;

/**
 * Returns one page of a list, the latest items first. A cursor contains the position of the last item of the previous page, so that items added or removed in
 * the meantime do not shift the next page.
 *
 * @param lengthOf - about how many characters an item takes in the answer, for items that may be long. A page that becomes too long ends early, but has at
 *   least one item.
 * @throws {SvcError} `invalid_request` for a cursor that no answer gave.
 * @example
 * const items = [{ id: 'a', at: 1 }, { id: 'b', at: 2 }, { id: 'c', at: 3 }];
 * pageOf(items, (item) => item, { limit: 2 }) // { page: [c, b], nextCursor: '2.b' }
 * pageOf(items, (item) => item, { limit: 2, cursor: '2.b' }) // { page: [a], nextCursor: null }
 */
export function pageOf<T>(
  items: readonly T[],
  placeOf: (item: T) => PagePosition,
  { cursor, limit = MAX_PAGE }: Question,
  lengthOf: (item: T) => number = () => 0,
): { readonly page: readonly T[]; readonly nextCursor: string | null } {
  const after = cursor === undefined ? undefined : placeIn(cursor);
  const rest = items
    .filter((item) => after === undefined || compare(after, placeOf(item)) < 0)
    .sort((a, b) => compare(placeOf(a), placeOf(b)));
  let length = 0;
  const tooMany = rest.findIndex((item, i) => i === limit || ((length += lengthOf(item)) > MAX_LENGTH && i > 0));
  if (tooMany === -1) return { page: rest, nextCursor: null };
  const page = rest.slice(0, tooMany);
  return { page, nextCursor: cursorOf(placeOf(page.at(-1)!)) };
}

/** Whether the text is part of a person's name or subject. Letter case is ignored. */
export function matchesPerson(
  text: string | undefined,
  { name, subject }: { readonly name: string; readonly subject: string },
): boolean {
  const part = text?.toLowerCase() ?? '';
  return part === '' || name.toLowerCase().includes(part) || subject.toLowerCase().includes(part);
}

function compare(a: PagePosition, b: PagePosition): number {
  if (a.at !== b.at) return b.at - a.at;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function cursorOf({ at, id }: PagePosition): string {
  return `${at}.${id}`;
}

function placeIn(cursor: string): PagePosition {
  const match = /^(\d{1,15})\.(.+)$/s.exec(cursor);
  if (match === null) throw invalidRequest(UNKNOWN_CURSOR);
  return { at: Number(match[1]), id: match[2]! };
}
