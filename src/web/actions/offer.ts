import type { Action as Permission, Allowed, AllowedInFolder } from '../permissions/use-permissions.ts';
import type { EntryPermissions } from '../permissions/entry-permissions.ts';
import type { Place } from '../place/place.ts';
import type { Action, Selection, Surroundings } from './action.ts';

/** An action that the user may start, bound to its target. */
export type Offer = Pick<Action<unknown>, 'id' | 'label' | 'icon' | 'prominent' | 'destructive' | 'hotkey'> & {
  readonly run: (around: Surroundings) => void;
};

/** The actions that the user may start on a provider or a bucket. */
export function offersOn<Target>(actions: readonly Action<Target>[], target: Target, allowed: Allowed): Offer[] {
  return actions
    .filter(({ needs, fits }) => fits?.(target) !== false && needs.every(allowed.may))
    .map((action) => offer(action, target));
}

/** The actions that the user may start in a folder. Actions that put objects into it need permission in the folder itself, others anywhere in it. */
export function offersIn(actions: readonly Action<Place>[], place: Place, { may, mayHere }: AllowedInFolder): Offer[] {
  return actions
    .filter(({ needs, puts, fits }) => fits?.(place) !== false && needs.every(puts === true ? mayHere : may))
    .map((action) => offer(action, place));
}

/** The actions that fit the selection and are allowed on at least one of its rows. Deleted rows have actions of their own, which the others do not have. An action receives the allowed rows, and the others as `leftOut`. */
export function offersFor(
  actions: readonly Action<Selection>[],
  selection: Selection,
  permissions: EntryPermissions,
): Offer[] {
  const deleted = selection.entries.filter((entry) => entry.deleted === true);
  const existing = deleted.length === 0 ? selection.entries : selection.entries.filter((row) => row.deleted !== true);
  return actions.flatMap((action) => {
    const entries = action.onDeleted === true ? deleted : existing;
    if (entries.length === 0) return [];
    const target = { ...selection, entries };
    if (action.fits?.(target) === false || (action.puts === true && !permissions.mayPutSomewhere)) return [];
    const permitted = permittedOf(target, action.needs, permissions);
    return permitted === undefined ? [] : [offer(action, permitted)];
  });
}

/** Splits a selection into the rows on which all needed permissions are allowed, and the others as `leftOut`. Undefined if no row is allowed. */
export function permittedOf(
  { place, entries, isWhole = false }: Selection,
  needs: readonly Permission[],
  permissions: EntryPermissions,
): Selection | undefined {
  const permitted = entries.filter((entry) => permissions.mayAll(entry, needs));
  if (permitted.length === 0) return undefined;
  const chosen = new Set(permitted);
  return { place, entries: permitted, leftOut: entries.filter((entry) => !chosen.has(entry)), isWhole };
}

function offer<Target>(action: Action<Target>, target: Target): Offer {
  return { ...action, run: (around) => action.run(target, around) };
}
