import { ATOMIC_ACTIONS, type ActionMask, type AtomicAction } from '../model/action.ts';
import { isAskedIn, resourceIn, type Cell } from './cells.ts';
import type { Resource, Selector } from '../model/resource.ts';

/**
 * The resources that `selector` covers and none of `except` covers, with actions that have the same answer on all of them. `example` is one of these resources.
 */
export type Region = {
  readonly actions: readonly AtomicAction[];
  readonly selector: Selector;
  readonly except: readonly Selector[];
  readonly example: Resource;
};

/** Combines cells into as few regions as possible. */
export class Regions {
  readonly #cells: readonly Cell[];
  readonly #children: readonly (readonly number[])[];

  constructor(cells: readonly Cell[]) {
    this.#cells = cells;
    const children: number[][] = cells.map(() => []);
    for (const [i, { parent }] of cells.entries()) if (parent >= 0) children[parent]!.push(i);
    this.#children = children;
  }

  /**
   * @param at - indexes of cells, ascending.
   * @param masks - the actions in each of these cells.
   */
  of(at: readonly number[], masks: readonly ActionMask[]): Region[] {
    const drafts = new Map<
      string,
      { readonly head: number; readonly except: readonly number[]; readonly actions: AtomicAction[] }
    >();
    for (const [bit, action] of ATOMIC_ACTIONS.entries()) {
      const within = new Set(at.filter((_, i) => (masks[i]! & (1 << bit)) !== 0));
      for (const [head, except] of this.#exceptions(within, action)) {
        const id = `${head}:${except.join()}`;
        const draft = drafts.get(id);
        if (draft === undefined) drafts.set(id, { head, except, actions: [action] });
        else draft.actions.push(action);
      }
    }
    return [...drafts.values()]
      .sort((a, b) => a.head - b.head)
      .map(({ head, except, actions }) => ({
        actions,
        selector: this.#cells[head]!.selector,
        except: except.map((cell) => this.#cells[cell]!.selector),
        example: resourceIn(this.#cells[head]!, actions[0]!),
      }));
  }

  /** Finds the widest of the given cells, and for each the widest cells beneath it that were not given. */
  #exceptions(within: ReadonlySet<number>, action: AtomicAction): Map<number, number[]> {
    const heads = new Map<number, number>();
    const exceptions = new Map<number, number[]>();
    for (const cell of within) {
      const head = heads.get(this.#around(cell, action)) ?? cell;
      heads.set(cell, head);
      const except = exceptions.get(head) ?? [];
      exceptions.set(head, except);
      for (const child of this.#beneath(cell, action)) if (!within.has(child)) except.push(child);
    }
    return exceptions;
  }

  /** The nearest enclosing cell in which the action can be asked. */
  #around(cell: number, action: AtomicAction): number {
    let around = this.#cells[cell]!.parent;
    while (around >= 0 && !isAskedIn(this.#cells[around]!, action)) around = this.#cells[around]!.parent;
    return around;
  }

  /** The nearest cells beneath this one in which the action can be asked. */
  *#beneath(cell: number, action: AtomicAction): Generator<number, void, void> {
    for (const child of this.#children[cell]!) {
      if (isAskedIn(this.#cells[child]!, action)) yield child;
      else yield* this.#beneath(child, action);
    }
  }
}
