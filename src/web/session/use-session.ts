import { useSyncExternalStore } from 'react';
import { onSessionChange, sessionState, type Account, type SessionState } from './session.ts';

export function useSession(): SessionState {
  return useSyncExternalStore(onSessionChange, sessionState);
}

/** The signed-in user. It can only be used inside the session gate. */
export function useAccount(): Account {
  const state = useSession();
  if (state.status === 'active' || state.status === 'ended') return state.account;
  throw new Error('an account was asked for outside of the session gate');
}
