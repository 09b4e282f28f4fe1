import type { RestoreCounts, RestoreEntry } from '../../wire/restore-folder.ts';
import { readLines } from './lines.ts';
import type { Place } from '../place/place.ts';

export type RestoreLine = {
  readonly planned_at?: string;
  readonly entry?: RestoreEntry;
  readonly counts?: RestoreCounts;
};

export type RestoreQuestion = {
  /** RFC 3339. */
  readonly at: string;
  readonly dry_run: boolean;
  /** The time of the plan. Objects that were changed since then are left as they are. */
  readonly if_unmodified_since?: string;
};

/** Brings a folder back to a moment, or plans it. One answer has some of the objects. @returns the cursor to continue with, or null at the end. */
export function restoreLines(
  { provider, bucket, prefix }: Place,
  question: RestoreQuestion,
  cursor: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly RestoreLine[], string | null> {
  return readLines<RestoreLine>(['api', 'providers', provider, 'buckets', bucket, 'objects', 'restore'], {}, signal, {
    ...question,
    prefix,
    ...(cursor !== undefined && { cursor }),
  });
}
