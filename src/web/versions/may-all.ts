import type { Action } from '../permissions/use-permissions.ts';

/** Whether the user may do all of these actions to one object. */
export type MayAll = (needs: readonly Action[]) => boolean;
