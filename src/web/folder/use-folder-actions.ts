import { useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import type { Selection, Surroundings } from '../actions/action.ts';
import { editWith } from '../actions/edit.ts';
import { held } from '../actions/held.ts';
import { offersFor, offersIn, type Offer } from '../actions/offer.ts';
import { actions } from '../actions/registry.ts';
import { useCommands } from '../palette/commands.ts';
import { withDialog } from '../parts/dialogs.tsx';
import type { EntryPermissions } from '../permissions/entry-permissions.ts';
import type { AllowedInFolder } from '../permissions/use-permissions.ts';
import type { Place } from '../place/place.ts';

editWith((selection, around) =>
  withDialog(
    () => import('../editor/open-editor.tsx'),
    ({ openEditor }) => openEditor(selection, around),
  ),
);

type Options = {
  readonly scope: string;
  readonly place: Place;
  readonly allowed: AllowedInFolder;
  readonly permissions: EntryPermissions;
  readonly around: Surroundings;
};

export type FolderActions = {
  readonly around: Surroundings;
  /** The actions that the user may start in the folder. */
  readonly here: readonly Offer[];
  /** The actions that the user may start on rows. */
  readonly on: (target: Selection) => readonly Offer[];
  /** Starts the folder action of a shortcut. @returns whether there is one. */
  readonly startHere: (hotkey: string) => boolean;
  /** Starts the row action of a shortcut. @returns whether there is one. */
  readonly startOn: (target: Selection, hotkey: string) => boolean;
};

/** The actions that the user may start on a folder and its rows, for buttons, shortcuts and the command palette. */
export function useFolderActions({ scope, place, allowed, permissions, around }: Options): FolderActions {
  const waiting = useStore(held);
  const here = offersIn(actions.folder, place, allowed);
  useCommands(
    useMemo(
      () => here.map(({ id, label, icon, run }) => ({ id, label, icon, run: () => run(around) })),
      // eslint-disable-next-line react-hooks/exhaustive-deps -- `here` is a new array on each render; its content depends on these values
      [place, around, allowed.pending, waiting],
    ),
  );
  return {
    ...useActionsOnRows({ scope, permissions, around }),
    here,
    startHere: useOnceKnown(scope, allowed.pending, (hotkey: string) => start(here, hotkey, around)),
  };
}

/** The actions that the user may start on rows, of a folder or of a search. */
export function useActionsOnRows({
  scope,
  permissions,
  around,
}: Pick<Options, 'scope' | 'permissions' | 'around'>): Pick<FolderActions, 'around' | 'on' | 'startOn'> {
  const on = (target: Selection) => offersFor(actions.entries, target, permissions);
  const startOn = useOnceKnown(
    scope,
    permissions.pending,
    ({ target, hotkey }: { target: Selection; hotkey: string }) => start(on(target), hotkey, around),
  );
  return {
    around,
    on,
    startOn: (target, hotkey) =>
      actions.entries.some((action) => action.hotkey === hotkey) && startOn({ target, hotkey }),
  };
}

function start(offers: readonly Offer[], key: string, around: Surroundings): boolean {
  const offer = offers.find(({ hotkey }) => hotkey === key);
  offer?.run(around);
  return offer !== undefined;
}

/**
 * Delays the action of a shortcut until the permissions are known. It is dropped if the user has gone to another place by then.
 *
 * @param isPending - whether the permissions are still being requested.
 * @returns a function that starts the action, and returns whether it was started or delayed.
 */
function useOnceKnown<T>(scope: string, isPending: boolean, start: (what: T) => boolean): (what: T) => boolean {
  const wanted = useRef<{ readonly scope: string; readonly what: T }>(undefined);
  useEffect(() => {
    if (wanted.current === undefined || isPending) return;
    const { current } = wanted;
    wanted.current = undefined;
    if (current.scope === scope) start(current.what);
  });
  return (what) => {
    if (!isPending) return start(what);
    wanted.current = { scope, what };
    return true;
  };
}
