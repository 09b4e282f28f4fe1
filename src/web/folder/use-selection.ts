import { useCallback, useMemo, useState } from 'react';
import type { Entry } from '../objects/entry.ts';
import { added, selectedFrom, settled, stretched, toggled, type Chosen, type Selected } from './selected.ts';

export type RowSelection = {
  readonly chosen: Chosen;
  readonly toggle: (entry: Entry) => void;
  readonly add: (entries: readonly Entry[]) => void;
  /** Selects a range from the anchor in place of the previous range. */
  readonly stretch: (range: readonly Entry[]) => void;
  /** Makes the current range permanent, because a new anchor was set. */
  readonly settle: () => void;
  readonly clear: () => void;
};

const NONE: Chosen = new Map();

/**
 * The selection in one folder. It is cleared when the folder changes.
 *
 * @param scope - identifies the folder.
 * @param initial - the selection when the folder is opened.
 */
export function useSelection(scope: string, initial: Chosen): RowSelection {
  const [state, setState] = useState({ scope, selected: selectedFrom(initial) });
  const chosen = state.scope === scope ? state.selected.chosen : initial;
  const change = useCallback(
    (edit: (selected: Selected) => Selected) =>
      setState((current) => {
        const selected = current.scope === scope ? current.selected : selectedFrom(initial);
        const next = edit(selected);
        return current.scope === scope && next === selected ? current : { scope, selected: next };
      }),
    [scope, initial],
  );
  const edits = useMemo(
    () => ({
      toggle: (entry: Entry) => change((selected) => toggled(selected, entry)),
      add: (entries: readonly Entry[]) => change((selected) => added(selected, entries)),
      stretch: (range: readonly Entry[]) => change((selected) => stretched(selected, range)),
      settle: () => change(settled),
      clear: () => change(() => selectedFrom(NONE)),
    }),
    [change],
  );
  return useMemo(() => ({ chosen, ...edits }), [chosen, edits]);
}
