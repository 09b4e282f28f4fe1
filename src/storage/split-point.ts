import { afterPrefix, compareKeys } from '../policy/index/key-order.ts';

/** The first and the last key of a page, the prefix of all keys, and the end of the partition to which the page belongs. */
export type PageEdges = {
  readonly first: string;
  readonly last: string;
  readonly prefix: string;
  readonly until: string | undefined;
};

/**
 * A position some pages ahead, at which another reader may begin; undefined when that is after the end of the partition.
 *
 * It is after all keys that share the page's common start without its last character: after `log-0` for a page from `log-0100` to `log-0199`. If the partition
 * ends before that, and a page covers little of the partition, the position is after the keys that begin with the next value of that last character: after `x-1`
 * for a page from `x-01…` to `x-02…`.
 */
export function splitPointOf({ first, last, prefix, until }: PageEdges): string | undefined {
  const shared = sharedLength(first, last);
  const isBefore = (position: string) => until === undefined || compareKeys(position, until) < 0;
  const around = last.slice(0, Math.max(shared - 1, prefix.length + 1));
  const far = afterPrefix(around);
  if (around.length <= prefix.length || !isPlain(around)) return undefined;
  if (isBefore(far)) return far;
  // When a page contains most keys with the same start, the part for the next start would be too short to justify a request.
  const near = last.slice(0, Math.max(shared, prefix.length + 1));
  if (!isPlain(near) || last.charCodeAt(near.length) - first.charCodeAt(near.length) > FEW_CHARACTERS) return undefined;
  const next = afterPrefix(near.slice(0, -1) + String.fromCharCode(near.charCodeAt(near.length - 1) + 1));
  return isBefore(next) ? next : undefined;
}

/** The maximum distance between the characters at which the first and the last key of a page differ. */
const FEW_CHARACTERS = 1;

/** The number of UTF-16 units that two texts have in common at their start. */
export function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/** Whether the last character of a text and the character after it in Unicode are one UTF-16 unit each. */
function isPlain(text: string): boolean {
  return text.charCodeAt(text.length - 1) < 0xd7ff;
}
