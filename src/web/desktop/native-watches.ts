import type { Failure } from '../../transfer/failure.ts';
import type { Target } from '../../transfer/transport.ts';

/** A folder of this computer whose new and changed files the application uploads (`src/desktop/watch.ts`). */
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
  /** Asks for a folder; null when the person closes the dialog. Missing where the system has none. */
  readonly watchFolder?: (target: Target) => Promise<unknown>;
  readonly watchedFolders: () => Promise<readonly WatchedFolder[]>;
  readonly stopWatching: (watched: { readonly id: number }) => Promise<unknown>;
};
