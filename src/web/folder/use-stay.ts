import { useCallback, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import type { Entry } from '../objects/entry.ts';

/** What somebody leaves behind in a folder: how far it is scrolled, which row is the current one, and what is selected. */
export type Stay = { readonly scroll: number; readonly active: number; readonly chosen: ReadonlyMap<string, Entry> };

const NEW: Stay = { scroll: 0, active: 0, chosen: new Map() };
/** So many entries of the history are remembered. */
const MOST = 100;
/** By the router's key of an entry of the history. */
const stays = new Map<string, Stay>();

/**
 * The stay with which a folder is opened: the one that was left there, when Back or Forward leads to it, else a new one.
 *
 * @param scope - tells one folder from another.
 */
export function useStay(scope: string): { readonly opened: Stay; readonly keep: (part: Partial<Stay>) => void } {
  const { key } = useLocation();
  const type = useNavigationType();
  const [state, setState] = useState(() => ({ scope, opened: openedAt(key, type) }));
  const current = state.scope === scope ? state : { scope, opened: openedAt(key, type) };
  if (current !== state) setState(current);
  const keep = useCallback(
    (part: Partial<Stay>) => {
      stays.set(key, { ...(stays.get(key) ?? NEW), ...part });
      const [oldest] = stays.keys();
      if (stays.size > MOST && oldest !== undefined) stays.delete(oldest);
    },
    [key],
  );
  return { opened: current.opened, keep };
}

function openedAt(key: string, type: string): Stay {
  return (type === 'POP' ? stays.get(key) : undefined) ?? NEW;
}
