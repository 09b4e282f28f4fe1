import type { ComponentType } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import type { Entry } from '../objects/entry.ts';
import type { Action as Permission } from '../permissions/use-permissions.ts';
import type { Place } from '../place/place.ts';

/** What an action works on. `entries` are rows of the folder `place`, never empty; `leftOut` are those that were chosen too and that the action is not allowed on; `isWhole` says that all that is in the place was chosen. */
export type ProviderTarget = { readonly provider: string };
export type BucketTarget = { readonly provider: string; readonly bucket: string };
export type Selection = { readonly place: Place; readonly entries: readonly Entry[]; readonly leftOut?: readonly Entry[]; readonly isWhole?: boolean };

/** What an action may do besides its requests. */
export type Surroundings = {
  readonly queryClient: QueryClient;
  /** Goes to an in-app path, such as `placeLink(place)`. */
  readonly navigate: (path: string) => void;
  /** Call it when the entries are gone, so that they do not stay selected. */
  readonly clearSelection: () => void;
};

/** A button or menu item. It is shown only where the service says that all that it needs is allowed. */
export type Action<Target> = {
  readonly id: string;
  readonly label: string;
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  readonly needs: readonly Permission[];
  /** Puts new objects into a folder, so that it needs permission for these: in that folder or, when the folder is chosen later, in any one. */
  readonly puts?: boolean;
  /** Shown as a button, not only in the menu. */
  readonly prominent?: boolean;
  /** Shown last, and confirmed in red. */
  readonly destructive?: boolean;
  /** A key that starts it while the table has the focus, such as `Delete` or `F2`. */
  readonly hotkey?: string;
  /** Leaves it out where it makes no sense, such as rename of several. Not for permissions. */
  readonly fits?: (target: Target) => boolean;
  readonly run: (target: Target, around: Surroundings) => void;
};

/** What is needed for each object that is copied, and that is moved; besides, the target has to take it. */
export const NEEDED_TO_COPY: readonly Permission[] = ['objects:get'];
export const NEEDED_TO_MOVE: readonly Permission[] = ['objects:get', 'objects:delete'];
