import { ACTION_NAMES, type ActionName } from '../policy/action.ts';

export type { ActionName } from '../policy/action.ts';

/** Every action that a rule may name, for clients that offer a choice of them. */
export const actionNames: readonly ActionName[] = ACTION_NAMES;
