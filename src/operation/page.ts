import { invalidRequest } from '../access/invalid.ts';

/** Where something stands in a list: the latest first, and by id where the times are equal. `at` is milliseconds since the epoch. */
export type Place = { readonly at: number; readonly id: string };

type Question = { readonly cursor?: string | undefined; readonly limit?: number | undefined };

const MAX_PAGE = 1_000;
/** An answer of more than this is long to write, and too long for a socket. */
const MAX_LENGTH = 4 * 1_048_576;

/**
 * One page of a list, the latest first. A cursor names the place where the page before it ended, so that what is added or removed meanwhile moves nothing.
 *
 * @param lengthOf - about how many characters an item takes in the answer, where that may be many. The page ends early then, after one item at least.
 * @throws {SvcError} `invalid_request` for a cursor that no answer gave.
 */
export function pageOf<T>(items: readonly T[], placeOf: (item: T) => Place, { cursor, limit = MAX_PAGE }: Question, lengthOf: (item: T) => number = () => 0): { readonly page: readonly T[]; readonly nextCursor: string | null } {
  const after = cursor === undefined ? undefined : placeIn(cursor);
  const rest = items.filter((item) => after === undefined || compare(after, placeOf(item)) < 0).sort((a, b) => compare(placeOf(a), placeOf(b)));
  let length = 0;
  const tooMany = rest.findIndex((item, i) => i === limit || ((length += lengthOf(item)) > MAX_LENGTH && i > 0));
  if (tooMany === -1) return { page: rest, nextCursor: null };
  const page = rest.slice(0, tooMany);
  return { page, nextCursor: cursorOf(placeOf(page.at(-1)!)) };
}

/** Whether a text is part of the name or of the subject of a person, upper and lower case alike. */
export function isCalled(text: string | undefined, { name, subject }: { readonly name: string; readonly subject: string }): boolean {
  const part = text?.toLowerCase() ?? '';
  return part === '' || name.toLowerCase().includes(part) || subject.toLowerCase().includes(part);
}

function compare(a: Place, b: Place): number {
  if (a.at !== b.at) return b.at - a.at;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function cursorOf({ at, id }: Place): string {
  return `${at}.${id}`;
}

function placeIn(cursor: string): Place {
  const match = /^(\d{1,15})\.(.+)$/s.exec(cursor);
  if (match === null) throw invalidRequest({ path: 'cursor', message: 'is none that an answer gave; leave it out for the first page' });
  return { at: Number(match[1]), id: match[2]! };
}
