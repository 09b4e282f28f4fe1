import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { CliFailure, EXIT, statusOfFailures } from '../terminal/cli-failure.ts';
import type { Connection } from '../../client/connection.ts';
import { sourceText, type Change, type CopyTask, type FileState } from './copy-task.ts';
import { downloadObject } from '../../client/download.ts';
import { failureText } from '../terminal/failure-text.ts';
import { TargetFolders } from '../argument/local-path.ts';
import type { Progress } from '../terminal/progress.ts';
import { remoteText } from '../argument/remote-path.ts';
import type { RememberedUploads } from '../../client/remembered-uploads.ts';
import { inParallel } from './in-parallel.ts';
import { copyRemote } from './remote-copy.ts';
import { compareWith, type Sameness } from './same-content.ts';
import { TargetListings } from './target-listings.ts';
import { fileChanged } from '../../transfer/failure.ts';
import type { StoredHeaders } from '../../wire/stored-headers.ts';
import { forgetUpload, uploadFile } from './upload.ts';
import { UploadTurns } from '../../client/upload-turns.ts';

export type CopyFailure = { readonly path: string; readonly code: string; readonly message: string };
/** `guessed` counts the skipped files that were compared by size and time only. */
export type CopyOutcome = {
  copied: number;
  skipped: number;
  guessed: number;
  bytes: number;
  readonly failed: CopyFailure[];
};

export type CopyOptions = {
  /** The maximum number of simultaneous requests that carry content. */
  readonly jobs: number;
  readonly remembered: RememberedUploads;
  /** Whether to skip what is already at the target. */
  readonly resume: boolean;
  readonly move: boolean;
  /** Whether to transfer nothing, and only tell. */
  readonly dryRun?: boolean;
  /** Is told each change that was made, or would be. */
  readonly tell?: (change: Change) => void;
  readonly contentType?: string | undefined;
  /** The headers that are stored with uploads. */
  readonly stored?: StoredHeaders | undefined;
};

type InRun = CopyOptions & {
  readonly requests: LimitFunction;
  readonly turns: UploadTurns;
  readonly listings: TargetListings;
  readonly folders: TargetFolders;
};

/** The failures that all other files would have too. */
const STOPS_ALL = ['session_required', 'audit_unavailable'];

export function nothingCopied(): CopyOutcome {
  return { copied: 0, skipped: 0, guessed: 0, bytes: 0, failed: [] };
}

/**
 * Runs the work of a command that copies, and tells its end, also when the work throws after it has begun.
 *
 * @throws the error of the work; {@link CliFailure} when single files failed.
 */
export async function tellingEnd(outcome: CopyOutcome, tellEnd: () => void, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (hasBegun(outcome)) tellEnd();
    throw error;
  }
  tellEnd();
  throwIfAnyFailed(outcome.failed);
}

/** Whether anything was copied, skipped or tried. */
export function hasBegun({ copied, skipped, failed }: CopyOutcome): boolean {
  return copied + skipped + failed.length > 0;
}

/**
 * Runs a plan, and counts in `outcome`, which tells what was done when the plan throws. Failures are reported, and the rest continues; only a failure that all
 * other files would have stops everything, and is told once.
 */
export async function runCopy(
  connection: Connection,
  tasks: AsyncIterable<CopyTask>,
  options: CopyOptions,
  progress: Progress,
  outcome: CopyOutcome,
): Promise<void> {
  let isStopped = (): boolean => false;
  const requests = pLimit(options.jobs);
  const inRun = {
    ...options,
    requests,
    turns: new UploadTurns(connection, requests),
    listings: new TargetListings(connection),
    folders: new TargetFolders(),
  };
  // While some files are being sent, others are opened and get their tickets, or get their names. With one request at a time, it is one file after the other.
  await inParallel(tasks, 2 * options.jobs - 1, async (task) => {
    if (isStopped()) return;
    try {
      const bytes = await runTask(connection, task, inRun, progress);
      if (typeof bytes === 'string') {
        outcome.skipped += 1;
        if (bytes === 'guessed') outcome.guessed += 1;
      } else {
        progress.finish();
        outcome.copied += 1;
        outcome.bytes += bytes;
        if (task.kind !== 'fail' && task.kind !== 'skip')
          options.tell?.({
            action: task.kind,
            from: sourceText(task),
            to: typeof task.to === 'string' ? task.to : remoteText(task.to),
          });
      }
    } catch (error) {
      const path = sourceText(task);
      const { code, message } = failureText(error, path);
      const stopsAll = STOPS_ALL.includes(code);
      const isTold = stopsAll && isStopped();
      if (stopsAll) isStopped = () => true;
      outcome.failed.push({ path, code, message });
      if (!isTold) progress.say(`${path}: ${message}`);
    }
  });
}

/** @throws {CliFailure} without a message, because each failure was already printed. */
export function throwIfAnyFailed(failed: readonly { readonly code: string }[]): void {
  if (failed.length === 0) return;
  const is = (code: string) => failed.some((failure) => failure.code === code);
  if (is('session_required')) throw new CliFailure(EXIT.notSignedIn, '', 'session_required');
  throw new CliFailure(statusOfFailures(failed), '', failed.length === 1 ? failed[0]!.code : 'failed');
}

/** @returns the number of copied bytes; or that the object was skipped, and whether that was a guess. */
async function runTask(
  connection: Connection,
  task: CopyTask,
  { resume, move, dryRun = false, contentType, stored, remembered, requests, turns, listings, folders }: InRun,
  progress: Progress,
): Promise<number | 'skipped' | 'guessed'> {
  const about = connection.about(sourceText(task));
  const there = await found(task, { resume, requests, listings });
  if (there !== 'different') {
    if (task.kind === 'upload' && !dryRun) await forgetUpload(task.from, task.to, { connection: about, remembered });
    return there === 'same' ? 'skipped' : there;
  }
  switch (task.kind) {
    case 'fail':
      throw task.error;
    case 'skip':
      progress.say(`${task.from}: left out: ${task.why}`);
      return 'skipped';
    case 'download': {
      const { root, to, over } = task;
      if (dryRun) return task.known.size;
      progress.plan(task.known.size);
      await downloadObject(about, task.from, task.known, to, progress.advance, undefined, {
        keepsTime: task.keepsTime === true,
        requests,
        ...(root !== undefined && { openFolder: () => folders.open(root, dirname(to)) }),
        ...(over !== undefined && { beforeReplace: (at: string) => requireFile(at, over) }),
      });
      return task.known.size;
    }
    case 'upload': {
      if (dryRun) return task.size;
      progress.plan(task.size);
      return uploadFile(task.from, task.to, {
        connection: about,
        over: task.over,
        contentType,
        stored,
        remembered,
        turns,
        found: task.found,
        onBytes: progress.advance,
        say: (line) => progress.say(`${task.from}: ${line}`),
      });
    }
    case 'copy': {
      if (dryRun) return 0;
      progress.plan(0);
      await requests(() => copyRemote(about, task, move));
      return 0;
    }
  }
}

/** Whether the target already has the content. */
async function found(
  task: CopyTask,
  { resume, requests, listings }: Pick<InRun, 'resume' | 'requests' | 'listings'>,
): Promise<Sameness> {
  if ('compare' in task) return requests(task.compare);
  if (!resume) return 'different';
  if (task.kind === 'download') return compareWith(task.to, task.known, 'file');
  if (task.kind !== 'upload') return 'different';
  const object = await listings.find(task.to);
  return object === undefined ? 'different' : compareWith(task.from, object, 'object');
}

/** @throws {TransferError} `file_changed` when another file is there than `over`. */
export async function requireFile(path: string, over: FileState | null): Promise<void> {
  const now = await lstat(path).catch(() => null);
  const isSame =
    over === null || now === null
      ? over === now
      : now.isFile() &&
        now.size === over.size &&
        now.mtimeMs === over.mtimeMs &&
        now.dev === over.dev &&
        now.ino === over.ino;
  if (!isSame) throw fileChanged();
}
