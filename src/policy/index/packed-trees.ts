import { ATOMIC_ACTIONS, resourceKindOf, type ActionMask } from '../model/action.ts';
import type { Decision } from '../model/decision.ts';
import type { KeyNode } from './key-tree.ts';
import type { Verdicts } from '../model/verdicts.ts';

/**
 * The key trees of all buckets in one array, for the question of every request: what is the verdict on this key?
 *
 * It gives the same answers as the trees of `KeyNode`. But those objects are spread over the memory, and with ten thousand rules cache misses take most of the
 * time. Here the nodes of a bucket are next to each other, with thirty bytes each.
 *
 * The position of its first cell identifies a node. Its cells are, in this order:
 *
 * | cells | content |
 * |---|---|
 * | 2 | where the verdicts for keys that start with its path begin in `decisions` (object actions only) |
 * | 2 | where the verdicts for the key that equals its path begin in `decisions` |
 * | 2 | length of the rest of its label |
 * | 1 | number of children |
 * | | the rest of its label: all units but the first, by which its parent found it |
 * | | the first units of the children's labels, ascending |
 * | | the positions of the children, two cells each |
 */
export type PackedTrees = { readonly cells: Uint16Array; readonly decisions: readonly Decision[] };

/** The positions of the object actions in {@link ATOMIC_ACTIONS}. Verdicts are stored in this order. */
const OBJECT_ACTIONS = ATOMIC_ACTIONS.flatMap((action, i) => (resourceKindOf(action) === 'object' ? [i] : []));
/** The reverse: the index in {@link OBJECT_ACTIONS} of each atomic action. */
const PLACE_OF_ACTION = Uint8Array.from(ATOMIC_ACTIONS, (_action, i) => Math.max(0, OBJECT_ACTIONS.indexOf(i)));

const KEY_VERDICTS = 2;
const LABEL_LENGTH = 4;
const CHILDREN = 6;
const LABEL = 7;

/**
 * The decision on a key.
 *
 * @param action - an object action's position in {@link ATOMIC_ACTIONS}.
 */
export function decisionOnKey(trees: PackedTrees, root: number, key: string, action: number): Decision {
  return trees.decisions[verdictsForKey(trees, root, key) + PLACE_OF_ACTION[action]!]!;
}

/** The actions that are allowed on a key. */
export function allowedOnKey(trees: PackedTrees, root: number, key: string): ActionMask {
  const verdicts = verdictsForKey(trees, root, key);
  let mask = 0;
  for (let i = 0; i < OBJECT_ACTIONS.length; i++)
    if (trees.decisions[verdicts + i]!.allowed) mask |= 1 << OBJECT_ACTIONS[i]!;
  return mask;
}

/** Where the verdicts on a key begin in `decisions`. They are those of the deepest node whose path the key starts with. */
function verdictsForKey({ cells }: PackedTrees, root: number, key: string): number {
  let node = root;
  let depth = 0;
  while (depth < key.length) {
    const units = node + LABEL + wide(cells, node + LABEL_LENGTH);
    const children = cells[node + CHILDREN]!;
    const at = search(cells, units, units + children, key.charCodeAt(depth));
    if (at < 0) return wide(cells, node);

    const child = wide(cells, units + children + 2 * (at - units));
    const end = depth + 1 + wide(cells, child + LABEL_LENGTH);
    let label = child + LABEL;
    for (depth++; depth < end; depth++) {
      if (key.charCodeAt(depth) !== cells[label++]) return wide(cells, node);
    }
    node = child;
  }
  return wide(cells, node + KEY_VERDICTS);
}

/** Up to this many children are searched one after the other, because the processor predicts these branches better than those of a binary search. */
const FEW = 12;

/** The position of the cell in [`low`, `high`) that holds the unit; -1 when none does. */
function search(cells: Uint16Array, low: number, high: number, unit: number): number {
  while (high - low > FEW) {
    const middle = (low + high) >>> 1;
    if (cells[middle]! <= unit) low = middle;
    else high = middle;
  }
  for (; low < high; low++) if (cells[low] === unit) return low;
  return -1;
}

/** Reads a number that takes two cells. */
function wide(cells: Uint16Array, at: number): number {
  return cells[at]! | (cells[at + 1]! << 16);
}

/** Packs settled trees one after the other. */
export class TreePacker {
  readonly #cells: number[] = [];
  readonly #decisions: Decision[] = [];
  readonly #places = new Map<Verdicts, number>();
  /** Its cells are empty until `finish` is called. */
  readonly trees: { cells: Uint16Array; readonly decisions: readonly Decision[] } = {
    cells: new Uint16Array(),
    decisions: this.#decisions,
  };

  /** @returns the position of the tree's root. */
  add(root: KeyNode): number {
    const position = this.#cells.length;
    /** Nodes that still have to be packed, and the cells that will hold their positions. */
    const waiting = this.#addNode(root);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      [this.#cells[next.link], this.#cells[next.link + 1]] = halves(this.#cells.length);
      waiting.push(...this.#addNode(next.node));
    }
    return position;
  }

  #addNode({ label, verdicts, keyVerdicts, ordered }: KeyNode): { node: KeyNode; link: number }[] {
    const cells = this.#cells;
    const units = (text: string) => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
    const children = ordered.toSorted((a, b) => a.label.charCodeAt(0) - b.label.charCodeAt(0));
    const rest = units(label.slice(1));
    cells.push(
      ...halves(this.#place(verdicts)),
      ...halves(this.#place(keyVerdicts)),
      ...halves(rest.length),
      children.length,
    );
    for (const unit of rest) cells.push(unit);
    for (const child of children) cells.push(child.label.charCodeAt(0));
    return children.map((node) => ({ node, link: cells.push(0, 0) - 2 }));
  }

  #place(verdicts: Verdicts): number {
    let place = this.#places.get(verdicts);
    if (place === undefined) {
      place = this.#decisions.length;
      this.#places.set(verdicts, place);
      for (const action of OBJECT_ACTIONS) this.#decisions.push(verdicts[action]!);
    }
    return place;
  }

  /** Call this after all trees are added. */
  finish(): void {
    this.trees.cells = Uint16Array.from(this.#cells);
  }
}

const halves = (value: number): [low: number, high: number] => [value & 0xffff, value >>> 16];
