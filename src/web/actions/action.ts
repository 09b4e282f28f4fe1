import type { ComponentType } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import type { Entry } from '../objects/entry.ts';
import type { Action as Permission } from '../permissions/use-permissions.ts';
import type { Place } from '../place/place.ts';

/** The target of an action on a provider. */
export type ProviderTarget = { readonly provider: string };
/** The target of an action on a bucket. */
export type BucketTarget = { readonly provider: string; readonly bucket: string };
/** The selected rows of a folder. */
export type Selection = {
  readonly place: Place;
  /** The selected rows on which the action is allowed; never empty. */
  readonly entries: readonly Entry[];
  /** The selected rows on which the action is not allowed. */
  readonly leftOut?: readonly Entry[];
  /** True when every row of the folder is selected. */
  readonly isWhole?: boolean;
};

/** What an action can use of the page besides sending requests. */
export type Surroundings = {
  readonly queryClient: QueryClient;
  /** Goes to an in-app path, such as `placeLink(place)`. */
  readonly navigate: (path: string) => void;
  /** An action calls it when it removes the entries from the folder, so that they do not stay selected. */
  readonly clearSelection: () => void;
};

/** A button or menu item. It is shown only if the service allows every permission in `needs`. */
export type Action<Target> = {
  readonly id: string;
  readonly label: string;
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  readonly needs: readonly Permission[];
  /** The action puts new objects into a folder. It needs permission in the target folder, or in any folder if the user chooses the target later. */
  readonly puts?: boolean;
  /** The action is shown as a button, not only in the menu. */
  readonly prominent?: boolean;
  /** The action is the last in the menu, and its confirm button is red. */
  readonly destructive?: boolean;
  /** The key that starts the action while the table has the focus, such as `Delete` or `F2`. */
  readonly hotkey?: string;
  /** The action is for deleted objects. All others are for objects that exist. */
  readonly onDeleted?: boolean;
  /** Whether the action makes sense for the target; renaming several rows does not. Permissions are not checked here. */
  readonly fits?: (target: Target) => boolean;
  readonly run: (target: Target, around: Surroundings) => void;
};

/** The permissions needed on each object that is copied. The target folder needs `objects:write` in addition. */
export const NEEDED_TO_COPY: readonly Permission[] = ['objects:get'];
/** The permissions needed on each object that is brought back after a deletion. */
export const NEEDED_TO_UNDELETE: readonly Permission[] = ['objects:versions', 'objects:restore', 'objects:write'];
/** The permissions needed on each object that is moved. The target folder needs `objects:write` in addition. */
export const NEEDED_TO_MOVE: readonly Permission[] = ['objects:get', 'objects:delete'];
