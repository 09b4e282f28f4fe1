import type { Failure } from '../../transfer/failure.ts';
import type { Target } from '../../transfer/transport.ts';

/** A local folder whose new and changed files the desktop application uploads (`src/desktop/watch.ts`). */
export type WatchedFolder = {
  readonly id: number;
  readonly folder: string;
  readonly target: Target;
  readonly stored: number;
  readonly waiting: number;
  readonly refusedCount: number;
  readonly refused: readonly { readonly path: string; readonly failure: Failure }[];
  readonly trouble?: Failure;
};

export type NativeWatches = {
  /** Lets the user choose a folder to watch; null if the user closes the dialog. Undefined if the system has no folder dialog. */
  readonly watchFolder?: (target: Target) => Promise<unknown>;
  readonly watchedFolders: () => Promise<readonly WatchedFolder[]>;
  readonly stopWatching: (watched: { readonly id: number }) => Promise<unknown>;
};
