import { actionIndex, resourceKindOf, type AtomicAction } from '../model/action.ts';
import type { Grants } from '../index/grants.ts';
import { afterPrefix, compareKeys, justBefore, maxKey } from '../index/key-order.ts';
import type { KeyNode } from '../index/key-tree.ts';
import type { KeysScope } from '../model/resource.ts';

/** The keys with which a listing continues: those that start with `prefix` and come after `after`. */
export type KeyRange = {
  /** The `Prefix` of the storage call. It starts with the requested prefix. */
  readonly prefix: string;
  /** The `StartAfter` of the storage call: exclusive; empty to begin with the first key. */
  readonly after: string;
};

/**
 * The next run of keys, in listing order, on which the action may be allowed: no key between `after` and the start of the run is allowed. Undefined when no
 * further key that starts with `prefix` is allowed.
 *
 * A listing takes one storage call for each page of a run. It skips keys that are denied or that nothing allows, however many there are:
 *
 * ```ts
 * let run = nextAllowed(grants, 'objects:list', place, cursor);
 * while (run !== undefined) {
 *   const page = await list({ Prefix: run.prefix, StartAfter: run.after });
 *   show(page.keys.filter(keyFilter(grants, 'objects:list', place)));
 *   const end = page.truncated ? page.keys.at(-1) : afterPrefix(run.prefix);
 *   run = nextAllowed(grants, 'objects:list', place, end);
 * }
 * ```
 *
 * The keys still have to be filtered: a run may contain single denied keys, and denied prefixes further on (a next call from inside one continues after it).
 * With a delimiter, a common prefix counts as its last key: continue from `afterPrefix(commonPrefix)`. If a run's prefix extends beyond the next delimiter,
 * all of the run is in one common prefix, and one key found in it is enough to show that prefix.
 *
 * @param after - exclusive; empty to begin.
 */
export function nextAllowed(
  grants: Grants,
  action: AtomicAction,
  { provider, bucket, prefix }: KeysScope,
  after: string,
): KeyRange | undefined {
  const from = compareKeys(after, prefix) < 0 ? prefix : `${after}\0`;
  if (!from.startsWith(prefix) || isBehind(after, prefix) || resourceKindOf(action) !== 'object') return undefined;
  const index = actionIndex(action);

  const inProvider = grants.providers.get(provider);
  const inBucket = inProvider?.buckets.get(bucket);
  if (inBucket === undefined) return (inProvider ?? grants).verdicts[index]!.allowed ? { prefix, after } : undefined;

  const trail = trailOf(inBucket.keys, from, after);
  const region = trail.find(({ node }) => node.verdicts[index]!.allowed);
  if (region === undefined) return firstAhead(trail, index, from, prefix, after);

  const within = region.depth > prefix.length ? from.slice(0, region.depth) : prefix;
  const denied = trail.find(({ node, depth }) => depth > region.depth && !node.verdicts[index]!.allowed);
  if (denied === undefined) return { prefix: within, after };
  return denied.depth <= prefix.length
    ? undefined
    : { prefix: within, after: afterPrefix(from.slice(0, denied.depth)) };
}

/** A node on the way to a key, and the length of its path. */
type Step = { readonly node: KeyNode; readonly depth: number };

/** Whether a position that starts with `prefix` is after every key that starts with it. */
function isBehind(position: string, prefix: string): boolean {
  return compareKeys(position, afterPrefix(prefix)) >= 0;
}

/** The nodes whose paths the position `from` starts with, from the root down, except those whose keys `after` has passed. */
function trailOf(root: KeyNode, from: string, after: string): Step[] {
  const trail: Step[] = [];
  let node: KeyNode | undefined = root;
  let depth = 0;
  while (node !== undefined && from.startsWith(node.label, depth)) {
    depth += node.label.length;
    if (isBehind(after, from.slice(0, depth))) break;
    trail.push({ node, depth });
    node = node.children?.get(from.charCodeAt(depth));
  }
  return trail;
}

/** The first run at or after `from`, when no prefix of `from` is allowed. */
function firstAhead(
  trail: readonly Step[],
  index: number,
  from: string,
  prefix: string,
  after: string,
): KeyRange | undefined {
  const last = trail.at(-1);
  if (last?.depth === from.length && last.node.keyVerdicts[index]!.allowed) return { prefix: from, after };

  for (const { node, depth } of trail.toReversed()) {
    const rest = from.slice(depth);
    const ahead = node.ordered.find((child) => isAllowedIn(child, index) && compareKeys(child.label, rest) > 0);
    if (ahead === undefined) continue;
    const path = from.slice(0, depth) + pathToFirstAllowed(ahead, index);
    return path.startsWith(prefix) ? { prefix: path, after: maxKey(after, justBefore(path)) } : undefined;
  }
  return undefined;
}

/** The labels from a node beneath which something is allowed to the first node that is allowed itself. */
function pathToFirstAllowed(start: KeyNode, index: number): string {
  let node = start;
  let path = node.label;
  while (!node.verdicts[index]!.allowed && !node.keyVerdicts[index]!.allowed) {
    node = node.ordered.find((child) => isAllowedIn(child, index))!;
    path += node.label;
  }
  return path;
}

function isAllowedIn(node: KeyNode, index: number): boolean {
  return (node.somewhere & (1 << index)) !== 0;
}
