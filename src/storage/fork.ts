import { behindPrefix, compareKeys } from '../policy/key-order.ts';

/** The first and the last key of a page, the prefix that all keys have, and where the stretch ends that the page belongs to. */
export type PageEdges = { readonly first: string; readonly last: string; readonly prefix: string; readonly until: string | undefined };

/**
 * A position some pages ahead, where another reader may begin; undefined where that lies behind the end.
 *
 * It lies behind all keys that begin as the keys of the page do, but for the last character of what they have in common: behind `log-0` after a page from `log-0100` to
 * `log-0199`. If the stretch ends before that, and a page has little of it, it lies behind those that begin with the next such character: behind `x-1` after a page from `x-01…` to `x-02…`.
 */
export function forkOf({ first, last, prefix, until }: PageEdges): string | undefined {
  const shared = sharedLength(first, last);
  const isBefore = (position: string) => until === undefined || compareKeys(position, until) < 0;
  const around = last.slice(0, Math.max(shared - 1, prefix.length + 1));
  const far = behindPrefix(around);
  if (around.length <= prefix.length || !isPlain(around)) return undefined;
  if (isBefore(far)) return far;
  // Where a page has most of what begins alike, the next of these would end too soon to be worth a request more.
  const near = last.slice(0, Math.max(shared, prefix.length + 1));
  if (!isPlain(near) || last.charCodeAt(near.length) - first.charCodeAt(near.length) > FEW_CHARACTERS) return undefined;
  const next = behindPrefix(near.slice(0, -1) + String.fromCharCode(near.charCodeAt(near.length - 1) + 1));
  return isBefore(next) ? next : undefined;
}

/** How far apart the characters may be in which the first and the last key of a page differ. */
const FEW_CHARACTERS = 1;

/** How many UTF-16 units two texts begin with in common. */
export function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/** Whether a text ends with a character that is one UTF-16 unit, as the character behind it is. */
function isPlain(text: string): boolean {
  return text.charCodeAt(text.length - 1) < 0xd7ff;
}
