import { ACTIONS_ON, type ActionMask } from '../model/action.ts';
import type { Clause } from '../model/clause.ts';
import { unitRank } from './key-order.ts';
import { allowedBy, judge, NO_VERDICT_YET, type Verdicts } from '../model/verdicts.ts';

/**
 * The rules on the keys of one bucket, as a compressed prefix tree.
 *
 * A node stands for the keys that start with its path, which is all labels from the root to the node, joined. Its verdicts apply to all of them and include the
 * verdicts of shorter prefixes, so a question is answered by walking down a key and reading the last node reached. Single keys are looked up in `PackedTrees`,
 * which is built from these nodes.
 */
export class KeyNode {
  /** The part that this node adds to its parent's path; empty only at the root. */
  label: string;
  /** The children by the first UTF-16 unit of their labels. */
  children: Map<number, KeyNode> | undefined = undefined;
  /** The children in listing order. */
  ordered: readonly KeyNode[] = NO_NODES;

  /** Rules that name the path as a prefix. */
  readonly prefixClauses: Clause[] = [];
  /** Rules that name the path as one exact key. */
  readonly keyClauses: Clause[] = [];

  /** The verdicts on keys that start with the path, unless a rule beneath changes them. */
  verdicts: Verdicts = NO_VERDICT_YET;
  /** The verdicts on the key that equals the path. */
  keyVerdicts: Verdicts = NO_VERDICT_YET;

  /** The actions that `verdicts` allows. */
  allowed: ActionMask = 0;
  /** The actions that are allowed on at least one key that starts with the path. */
  somewhere: ActionMask = 0;
  /** The actions that are allowed on every key that starts with the path. */
  everywhere: ActionMask = 0;

  constructor(label: string) {
    this.label = label;
  }
}

const NO_NODES: readonly KeyNode[] = [];

/** Returns the node of exactly this path, and creates it when it is missing. */
export function growTo(root: KeyNode, path: string): KeyNode {
  let node = root;
  let depth = 0;
  while (depth < path.length) {
    node.children ??= new Map();
    const unit = path.charCodeAt(depth);
    let child = node.children.get(unit);
    if (child === undefined) {
      child = new KeyNode(path.slice(depth));
      node.children.set(unit, child);
      return child;
    }
    const shared = sharedLength(child.label, path, depth);
    if (shared < child.label.length) {
      child = split(child, shared);
      node.children.set(unit, child);
    }
    node = child;
    depth += shared;
  }
  return node;
}

function sharedLength(label: string, path: string, depth: number): number {
  let length = 1;
  while (length < label.length && label.charCodeAt(length) === path.charCodeAt(depth + length)) length++;
  return length;
}

/** Inserts a node between `lower` and its parent, `length` UTF-16 units below the parent. */
function split(lower: KeyNode, length: number): KeyNode {
  const upper = new KeyNode(lower.label.slice(0, length));
  lower.label = lower.label.slice(length);
  upper.children = new Map([[lower.label.charCodeAt(0), lower]]);
  return upper;
}

/** Copies a tree with its paths and rules, but without verdicts: the copy has to be settled. */
export function copyOf(root: KeyNode): KeyNode {
  const copy = bareCopyOf(root);
  const left: [from: KeyNode, to: KeyNode][] = [[root, copy]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [from, to] = next;
    if (from.children === undefined) continue;
    to.children = new Map();
    for (const [unit, child] of from.children) {
      const childCopy = bareCopyOf(child);
      to.children.set(unit, childCopy);
      left.push([child, childCopy]);
    }
  }
  return copy;
}

function bareCopyOf({ label, prefixClauses, keyClauses }: KeyNode): KeyNode {
  const copy = new KeyNode(label);
  copy.prefixClauses.push(...prefixClauses);
  copy.keyClauses.push(...keyClauses);
  return copy;
}

/** The number of nodes of a settled tree. */
export function nodeCount(root: KeyNode): number {
  let count = 0;
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    count++;
    left.push(...node.ordered);
  }
  return count;
}

/** Computes the verdicts and masks of every node, after all rules were added. It does not recurse, because a tree may be as deep as a key is long. */
export function computeVerdicts(root: KeyNode, around: Verdicts): void {
  judgeNode(root, around);
  const parentsFirst = [root];
  for (const node of parentsFirst) {
    if (node.children === undefined) continue;
    node.ordered = [...node.children.values()].sort(
      (a, b) => unitRank(a.label.charCodeAt(0)) - unitRank(b.label.charCodeAt(0)),
    );
    for (const child of node.ordered) {
      judgeNode(child, node.verdicts);
      parentsFirst.push(child);
    }
  }
  for (const node of parentsFirst.reverse()) {
    node.somewhere = (node.allowed | allowedBy(node.keyVerdicts)) & ACTIONS_ON.object;
    node.everywhere = node.allowed & allowedBy(node.keyVerdicts) & ACTIONS_ON.object;
    for (const child of node.ordered) {
      node.somewhere |= child.somewhere;
      node.everywhere &= child.everywhere;
    }
  }
}

function judgeNode(node: KeyNode, around: Verdicts): void {
  node.verdicts = judge(around, node.prefixClauses);
  node.keyVerdicts = judge(node.verdicts, node.keyClauses);
  node.allowed = allowedBy(node.verdicts);
}

/** The end of a walk along a prefix. */
type End = {
  /** The last node whose whole path the prefix starts with. */
  readonly node: KeyNode;
  /** The node whose keys all start with the prefix: `node` itself, or the child in whose label the prefix ends; undefined when no rule names such a key. */
  readonly beneath: KeyNode | undefined;
};

function walk(root: KeyNode, prefix: string): End {
  let node = root;
  let depth = 0;
  while (depth < prefix.length) {
    const child = node.children?.get(prefix.charCodeAt(depth));
    if (child === undefined) return { node, beneath: undefined };
    if (!prefix.startsWith(child.label, depth))
      return { node, beneath: child.label.startsWith(prefix.slice(depth)) ? child : undefined };
    node = child;
    depth += child.label.length;
  }
  return { node, beneath: node };
}

/** The actions that the rules covering all of `prefix` allow. Rules beneath the prefix are ignored. */
export function allowedAt(root: KeyNode, prefix: string): ActionMask {
  return walk(root, prefix).node.allowed;
}

/** The actions that are allowed on at least one key that starts with `prefix`. */
export function allowedUnder(root: KeyNode, prefix: string): ActionMask {
  const { node, beneath } = walk(root, prefix);
  if (beneath === node) return node.somewhere;
  return (node.allowed | (beneath?.somewhere ?? 0)) & ACTIONS_ON.object;
}

/** The actions that are allowed on every key that starts with `prefix`, including keys that no rule names. */
export function allowedOnAllUnder(root: KeyNode, prefix: string): ActionMask {
  const { node, beneath } = walk(root, prefix);
  if (beneath === node) return node.everywhere;
  return node.allowed & (beneath?.everywhere ?? ~0) & ACTIONS_ON.object;
}

/** The clauses that cover one key, from the widest to the narrowest. */
export function clausesOnKey(root: KeyNode, key: string): Clause[] {
  const clauses = [...root.prefixClauses];
  let node = root;
  let depth = 0;
  while (depth < key.length) {
    const child = node.children?.get(key.charCodeAt(depth));
    if (child === undefined || !key.startsWith(child.label, depth)) return clauses;
    node = child;
    depth += child.label.length;
    clauses.push(...node.prefixClauses);
  }
  return [...clauses, ...node.keyClauses];
}
