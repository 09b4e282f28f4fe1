import { CliFailure, EXIT } from './cli-failure.ts';
import type { KnownObject } from '../client/download.ts';
import type { KeyPath } from './remote-path.ts';

/** One object to move. `root` is the folder that a download must stay in. */
export type CopyTask =
  | { readonly kind: 'download'; readonly from: KeyPath; readonly known: KnownObject; readonly root: string | undefined; readonly to: string }
  | { readonly kind: 'upload'; readonly from: string; readonly size: number; readonly to: KeyPath }
  | { readonly kind: 'copy'; readonly from: KeyPath; readonly size: number; readonly to: KeyPath }
  | { readonly kind: 'skip'; readonly from: string; readonly why: string }
  /** What is known to fail before anything is moved; the rest goes on. */
  | { readonly kind: 'fail'; readonly from: string | KeyPath; readonly error: unknown };

/** Whether the sources are folders, and whether each of several keeps its name beneath the target. */
export type CopyShape = { readonly recursive: boolean; readonly several: boolean };

/** Of a folder that was named where an object is meant. */
export function folderFault(): CliFailure {
  return new CliFailure(EXIT.failed, 'this is a folder; give `-r` for everything in it', 'not_found');
}

/** Of a folder that was named as a source, and holds nothing: a slip, or a place of which the caller may list nothing. */
export function emptySource(from: KeyPath): Extract<CopyTask, { kind: 'fail' }> {
  return { kind: 'fail', from, error: new CliFailure(EXIT.failed, 'there is nothing here that you may list', 'not_found') };
}
