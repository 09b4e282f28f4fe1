import { CliFailure, EXIT, usageFault } from '../terminal/cli-failure.ts';
import type { KnownObject } from '../../client/download.ts';
import type { FileId } from '../../client/local-file.ts';
import type { NameFilter } from '../argument/name-filter.ts';
import { remoteText, type KeyPath } from '../argument/remote-path.ts';
import type { Sameness } from './same-content.ts';

/** Finds out whether the target already has the content. */
export type Compare = () => Promise<Sameness>;
/** By which a change of a file is noticed. */
export type FileState = FileId & { readonly size: number; readonly mtimeMs: number };

/** One object to transfer. `root` is the folder in which a download must stay. */
export type CopyTask =
  | {
      readonly kind: 'download';
      /** `version`: instead of the newest. */
      readonly from: KeyPath & { readonly version?: string | undefined };
      readonly known: KnownObject;
      readonly root: string | undefined;
      readonly to: string;
      /** Whether the file gets the modification time that the object keeps. */
      readonly keepsTime?: boolean;
      /** The file that may be replaced; null when none may be. Any file is replaced when undefined. */
      readonly over?: FileState | null;
      readonly compare?: Compare;
    }
  | {
      readonly kind: 'upload';
      readonly from: string;
      readonly size: number;
      readonly to: KeyPath;
      /** The file that was found in a folder; undefined for a file that was named, which may be a link. */
      readonly found?: FileId;
      /** The ETag of the only version that may be replaced; null when nothing may be. */
      readonly over?: string | null;
      readonly compare?: Compare;
    }
  | {
      readonly kind: 'copy';
      readonly from: KeyPath;
      /** As it was found; undefined for an object that was named, and not looked for. */
      readonly known?: KnownObject | undefined;
      readonly size: number;
      readonly to: KeyPath;
      /** Only this version is copied. */
      readonly etag?: string;
      readonly over?: string | null;
      readonly compare?: Compare;
    }
  | { readonly kind: 'skip'; readonly from: string; readonly why: string }
  /** An object that is known to fail before the transfer; the rest continues. */
  | { readonly kind: 'fail'; readonly from: string | KeyPath; readonly error: unknown };

/** A change as scripts read it. Paths are as people write them. */
export type Change =
  | { readonly action: 'upload' | 'download' | 'copy'; readonly from: string; readonly to: string }
  | { readonly action: 'delete'; readonly path: string };

/** Whether the sources are folders, and whether there are several, which keep their names beneath the target. */
export type CopyShape = {
  readonly recursive: boolean;
  readonly several: boolean;
  /** Chooses what is copied beneath the source folders. */
  readonly filter?: NameFilter | undefined;
};

/** The source of a task as people write it. */
export function sourceText(task: CopyTask): string {
  return typeof task.from === 'string' ? task.from : remoteText(task.from satisfies KeyPath);
}

/** The failure when a folder was named instead of an object. */
export function folderFault(): CliFailure {
  return usageFault('this is a folder; give `-r` for everything in it');
}

/** The failure of an empty source folder: a mistake, or a place in which the caller may list nothing. */
export function emptySource(from: KeyPath): Extract<CopyTask, { kind: 'fail' }> {
  return {
    kind: 'fail',
    from,
    error: new CliFailure(EXIT.failed, 'there is nothing here that you may list', 'not_found'),
  };
}
