import { ACTION_NAMES, type ActionName } from '../policy/model/action.ts';

export { atomicActions, type ActionName, type AtomicAction } from '../policy/model/action.ts';

/** The names of all actions that a rule may contain. */
export const actionNames: readonly ActionName[] = ACTION_NAMES;
