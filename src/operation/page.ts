import { invalidRequest } from '../access/invalid.ts';

/** Where something stands in a list: the latest first, and by id where the times are equal. `at` is milliseconds since the epoch. */
export type Place = { readonly at: number; readonly id: string };

type Question = { readonly cursor?: string | undefined; readonly limit?: number | undefined };

export const MAX_PAGE = 1_000;

/**
 * One page of a list, the latest first. A cursor names the place where the page before it ended, so that what is added or removed meanwhile moves nothing.
 *
 * @throws {SvcError} `invalid_request` for a cursor that no answer gave.
 */
export function pageOf<T>(items: readonly T[], placeOf: (item: T) => Place, { cursor, limit = MAX_PAGE }: Question): { readonly page: readonly T[]; readonly nextCursor: string | null } {
  const after = cursor === undefined ? undefined : placeIn(cursor);
  const rest = items.filter((item) => after === undefined || compare(after, placeOf(item)) < 0).sort((a, b) => compare(placeOf(a), placeOf(b)));
  const page = rest.slice(0, limit);
  const last = rest.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last === undefined ? null : cursorOf(placeOf(last)) };
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
