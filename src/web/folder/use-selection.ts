import { useCallback, useMemo, useState } from 'react';
import type { Entry } from '../objects/entry.ts';

export type RowSelection = {
  readonly chosen: ReadonlyMap<string, Entry>;
  readonly toggle: (entry: Entry) => void;
  /** Adds a stretch of rows. */
  readonly add: (entries: readonly Entry[]) => void;
  readonly clear: () => void;
};

const NONE: ReadonlyMap<string, Entry> = new Map();

/**
 * What is selected in one folder. It is gone when the folder changes: `scope` tells one from another.
 *
 * @param initial - what is selected when the folder is opened.
 */
export function useSelection(scope: string, initial: ReadonlyMap<string, Entry>): RowSelection {
  const [state, setState] = useState({ scope, chosen: initial });
  const chosen = state.scope === scope ? state.chosen : initial;
  const change = useCallback(
    (edit: (next: Map<string, Entry>) => void) =>
      setState((current) => {
        const next = new Map(current.scope === scope ? current.chosen : initial);
        edit(next);
        return { scope, chosen: next };
      }),
    [scope, initial],
  );
  const toggle = useCallback(
    (entry: Entry) =>
      change((next) => {
        if (!next.delete(entry.key)) next.set(entry.key, entry);
      }),
    [change],
  );
  const add = useCallback(
    (entries: readonly Entry[]) =>
      change((next) => {
        for (const entry of entries) next.set(entry.key, entry);
      }),
    [change],
  );
  const clear = useCallback(() => setState({ scope, chosen: NONE }), [scope]);
  return useMemo(() => ({ chosen, toggle, add, clear }), [chosen, toggle, add, clear]);
}
