import { ACTIONS_ON, maskOf, resourceKindOf, type ActionMask, type AtomicAction } from '../model/action.ts';
import type { Clause } from '../model/clause.ts';
import type { Grants } from '../index/grants.ts';
import type { KeyNode } from '../index/key-tree.ts';
import { isBucketName, isProviderName, keyFault } from '../model/name.ts';
import type { ObjectResource, Resource, Selector } from '../model/resource.ts';

/**
 * The resources that one selector covers and that no cell beneath it covers. No rule distinguishes two resources of a cell, and every resource is in exactly
 * one cell.
 */
export type Cell = {
  readonly selector: Selector;
  /** The index of the enclosing cell in the list; -1 for the widest one. */
  readonly parent: number;
  /** The actions that can be asked on a resource in the cell; none when no request can name such a resource. */
  readonly asked: ActionMask;
  /** The clauses whose selector is the cell's. The clauses of the enclosing cells cover it too. */
  readonly clauses: readonly Clause[];
  /** An example of a key in the cell, with its provider and bucket. */
  readonly inside: Omit<ObjectResource, 'kind'>;
};

/** The actions that can be asked on buckets, on objects and on everything. */
const { bucket: ON_BUCKETS, object: ON_OBJECTS } = ACTIONS_ON;
const ALL = ACTIONS_ON.provider | ON_BUCKETS | ON_OBJECTS;

/** Divides all resources into cells by the rules. Each cell comes before the cells beneath it. */
export function cellsOf(grants: Grants): Cell[] {
  const cells: Cell[] = [];
  const bucketNames = new Set([...grants.providers.values()].flatMap(({ buckets }) => [...buckets.keys()]));
  const somewhere = { provider: freeName(grants.providers), bucket: freeName(bucketNames), key: 'example' };
  const add = (cell: Cell): number => cells.push(cell) - 1;
  const root = add({ selector: { type: 'all' }, parent: -1, asked: ALL, clauses: grants.clauses, inside: somewhere });
  for (const [provider, { clauses, buckets }] of grants.providers) {
    const isProvider = isProviderName(provider);
    const inProvider = add({
      selector: { type: 'provider', provider },
      parent: root,
      asked: isProvider ? ALL : 0,
      clauses,
      inside: { ...somewhere, provider },
    });
    for (const [bucket, { clauses: onBucket, keys }] of buckets) {
      const selector = { type: 'bucket', provider, bucket } as const;
      const isBucket = isProvider && isBucketName(bucket);
      add({
        selector,
        parent: inProvider,
        asked: isBucket ? ON_BUCKETS : 0,
        clauses: onBucket,
        inside: { provider, bucket, key: '' },
      });
      const asked = (key: string | undefined) => (isBucket && key !== undefined ? ON_OBJECTS : 0);
      const key = freeKey(keys, '');
      const inBucket = add({
        selector,
        parent: inProvider,
        asked: asked(key),
        clauses: [...onBucket, ...keys.prefixClauses],
        inside: { provider, bucket, key: key ?? '' },
      });
      addKeys(cells, { node: keys, path: '', parent: inBucket }, { provider, bucket, asked });
    }
  }
  return cells;
}

type Position = { readonly node: KeyNode; readonly path: string; readonly parent: number };
type InBucket = {
  readonly provider: string;
  readonly bucket: string;
  readonly asked: (key: string | undefined) => ActionMask;
};

/** Adds the cells beneath a node. It does not recurse, because a tree may be as deep as a key is long. */
function addKeys(cells: Cell[], start: Position, { provider, bucket, asked }: InBucket): void {
  const left = [start];
  for (let last = left.pop(); last !== undefined; last = left.pop()) {
    let { parent } = last;
    const { node, path } = last;
    if (path !== '') {
      const key = freeKey(node, path);
      parent =
        cells.push({
          selector: { type: 'prefix', provider, bucket, prefix: path },
          parent,
          asked: asked(key),
          clauses: node.prefixClauses,
          inside: { provider, bucket, key: key ?? '' },
        }) - 1;
    }
    if (node.keyClauses.length > 0) {
      const isKey = keyFault(path, 'keep') === undefined;
      cells.push({
        selector: { type: 'object', provider, bucket, key: path },
        parent,
        asked: isKey ? asked(path) : 0,
        clauses: node.keyClauses,
        inside: { provider, bucket, key: path },
      });
    }
    for (const child of node.ordered.toReversed()) left.push({ node: child, path: path + child.label, parent });
  }
}

/** The resource inside the cell on which the action is asked. */
export function resourceIn({ inside: { provider, bucket, key } }: Cell, action: AtomicAction): Resource {
  const kind = resourceKindOf(action);
  if (kind === 'provider') return { kind, provider };
  return kind === 'bucket' ? { kind, provider, bucket } : { kind, provider, bucket, key };
}

export function isAskedIn({ asked }: Cell, action: AtomicAction): boolean {
  return (asked & maskOf(action)) !== 0;
}

/** A readable name that is not taken. */
function freeName(taken: { has(name: string): boolean }): string {
  let name = 'another';
  for (let i = 2; taken.has(name); i++) name = `another-${i}`;
  return name;
}

/**
 * A key that starts with the path and that no rule names more closely; undefined when there is none.
 *
 * If such a key exists, then one exists that is the path or one character longer: cutting a longer one does not move it into a deeper node.
 */
function freeKey(node: KeyNode, path: string): string | undefined {
  for (const rest of endings(path)) {
    if (isNamed(node, rest)) continue;
    if (keyFault(path + rest, 'keep') === undefined) return path + rest;
  }
  return undefined;
}

function isNamed(node: KeyNode, rest: string): boolean {
  if (rest === '') return node.keyClauses.length > 0;
  const child = node.children?.get(rest.charCodeAt(0));
  return child !== undefined && rest.startsWith(child.label);
}

/** Endings to try: readable ones first, then every character that fits, in order of its byte length. */
function* endings(path: string): Generator<string, void, void> {
  const last = path.charCodeAt(path.length - 1);
  if (last >= 0xd800 && last < 0xdc00) {
    for (let unit = 0xdc00; unit < 0xe000; unit++) yield String.fromCharCode(unit);
    return;
  }
  yield 'example';
  yield '';
  for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789') yield char;
  for (const { first, end } of BY_LENGTH) {
    if (keyFault(path + String.fromCodePoint(first), 'keep') !== undefined) return;
    for (let point = first; point < end; point++) yield String.fromCodePoint(point);
  }
}

/** The code points of one, two, three and four bytes of UTF-8. The surrogates divide those of three bytes. */
const BY_LENGTH = [
  { first: 0, end: 0x80 },
  { first: 0x80, end: 0x800 },
  { first: 0x800, end: 0xd800 },
  { first: 0xe000, end: 0x10000 },
  { first: 0x10000, end: 0x110000 },
];
