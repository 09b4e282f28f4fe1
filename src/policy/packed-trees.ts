import type { Decision } from './decision.ts';
import type { KeyNode } from './key-tree.ts';
import type { Verdicts } from './verdicts.ts';

/**
 * The key trees of all buckets in four flat arrays, for the one question that is asked on every request: what holds for this key?
 *
 * It says what the trees of `KeyNode` say. But walking objects that lie all over memory costs a cache miss for each of them, and with
 * ten thousand rules that is most of the time; here a step down the tree touches three places that lie close together.
 */
export type PackedTrees = {
  /** {@link NODE_SIZE} numbers for each node; a node is known by the position of its first. */
  readonly nodes: Int32Array;
  /** Which child a unit leads to: a hash table, by {@link edgeSlot}, of nodes; -1 where there is none. */
  readonly edges: Int32Array;
  /** The labels without their first units. */
  readonly labels: Uint16Array;
  /** Verdicts one after the other. */
  readonly decisions: readonly Decision[];
};

const NODE_SIZE = 8;
const PARENT = 0;
const FIRST_UNIT = 1;
const LABEL = 2;
const LABEL_LENGTH = 3;
const VERDICTS = 4;
const KEY_VERDICTS = 5;
const CHILDREN = 6;

/** Where the verdicts for a key begin in `decisions`: those of the deepest node whose path the key starts with. */
export function verdictsForKey({ nodes, edges, labels }: PackedTrees, root: number, key: string): number {
  let node = root;
  let depth = 0;
  while (depth < key.length) {
    const child = nodes[node + CHILDREN] === 0 ? -1 : childOf(nodes, edges, node, key.charCodeAt(depth));
    if (child < 0) return nodes[node + VERDICTS]!;

    const end = depth + nodes[child + LABEL_LENGTH]!;
    if (end > key.length) return nodes[node + VERDICTS]!;
    let label = nodes[child + LABEL]!;
    for (depth++; depth < end; depth++) {
      if (key.charCodeAt(depth) !== labels[label++]) return nodes[node + VERDICTS]!;
    }
    node = child;
  }
  return nodes[node + KEY_VERDICTS]!;
}

function childOf(nodes: Int32Array, edges: Int32Array, parent: number, unit: number): number {
  let slot = edgeSlot(edges, parent, unit);
  let child = edges[slot]!;
  while (child >= 0 && (nodes[child + PARENT] !== parent || nodes[child + FIRST_UNIT] !== unit)) {
    slot = (slot + 1) & (edges.length - 1);
    child = edges[slot]!;
  }
  return child;
}

/** Where to look first. Nodes lie {@link NODE_SIZE} apart, so adding the unit would let neighbours collide. */
function edgeSlot(edges: Int32Array, parent: number, unit: number): number {
  const hash = Math.imul(parent * 31 + unit, 0x9e3779b1);
  return (hash ^ (hash >>> 15)) & (edges.length - 1);
}

/** Lays trees out, one after the other. They must be settled. */
export class TreePacker {
  readonly #nodes: number[] = [];
  readonly #labels: number[] = [];
  readonly #decisions: Decision[] = [];
  readonly #places = new Map<Verdicts, number>();

  /** @returns where the tree's root will be. */
  add(root: KeyNode): number {
    const position = this.#addNode(root, -1);
    const parents = [{ node: root, position }];
    for (const parent of parents) {
      for (const node of parent.node.ordered) parents.push({ node, position: this.#addNode(node, parent.position) });
    }
    return position;
  }

  #addNode({ label, verdicts, keyVerdicts, ordered }: KeyNode, parent: number): number {
    const position = this.#nodes.length;
    const firstUnit = label === '' ? -1 : label.charCodeAt(0);
    this.#nodes.push(parent, firstUnit, this.#labels.length, label.length, this.#place(verdicts), this.#place(keyVerdicts), ordered.length, 0);
    for (let i = 1; i < label.length; i++) this.#labels.push(label.charCodeAt(i));
    return position;
  }

  #place(verdicts: Verdicts): number {
    let place = this.#places.get(verdicts);
    if (place === undefined) {
      place = this.#decisions.length;
      this.#places.set(verdicts, place);
      this.#decisions.push(...verdicts);
    }
    return place;
  }

  finish(): PackedTrees {
    const nodes = Int32Array.from(this.#nodes);
    return { nodes, edges: edgesOf(nodes), labels: Uint16Array.from(this.#labels), decisions: this.#decisions };
  }
}

/** At most half full, so that a search ends soon. */
function edgesOf(nodes: Int32Array): Int32Array {
  const size = 2 ** Math.ceil(Math.log2((2 * nodes.length) / NODE_SIZE + 1));
  const edges = new Int32Array(size).fill(-1);
  for (let node = 0; node < nodes.length; node += NODE_SIZE) {
    if (nodes[node + PARENT]! < 0) continue;
    let slot = edgeSlot(edges, nodes[node + PARENT]!, nodes[node + FIRST_UNIT]!);
    while (edges[slot]! >= 0) slot = (slot + 1) & (size - 1);
    edges[slot] = node;
  }
  return edges;
}
