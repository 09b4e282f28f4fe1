import { useCallback, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import type { Entry } from '../objects/entry.ts';

/** The view state of a folder: the scroll position in pixels, the index of the current row, and the selection. */
export type Stay = { readonly scroll: number; readonly active: number; readonly chosen: ReadonlyMap<string, Entry> };

const NEW: Stay = { scroll: 0, active: 0, chosen: new Map() };
/** The maximum number of history entries whose state is kept. */
const MOST = 100;
/** The kept states by the router's key of the history entry and the scope: a folder may show what a search found below it. */
const stays = new Map<string, Stay>();

/**
 * The view state with which a folder is opened: the previous one after Back or Forward, otherwise a new one.
 *
 * @param scope - identifies the folder.
 */
export function useStay(scope: string): { readonly opened: Stay; readonly keep: (part: Partial<Stay>) => void } {
  const { key } = useLocation();
  const type = useNavigationType();
  const [state, setState] = useState(() => ({ scope, opened: openedAt(`${key} ${scope}`, type) }));
  const current = state.scope === scope ? state : { scope, opened: openedAt(`${key} ${scope}`, type) };
  if (current !== state) setState(current);
  const keep = useCallback(
    (part: Partial<Stay>) => {
      const entry = `${key} ${scope}`;
      stays.set(entry, { ...(stays.get(entry) ?? NEW), ...part });
      const [oldest] = stays.keys();
      if (stays.size > MOST && oldest !== undefined) stays.delete(oldest);
    },
    [key, scope],
  );
  return { opened: current.opened, keep };
}

function openedAt(key: string, type: string): Stay {
  return (type === 'POP' ? stays.get(key) : undefined) ?? NEW;
}
