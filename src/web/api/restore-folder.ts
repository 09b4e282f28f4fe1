import { readLines } from './lines.ts';
import type { Place } from '../place/place.ts';

type Sum = { readonly objects: number; readonly bytes: number };

/** How many objects are brought back, deleted, left as they are although they were different, and unchanged. */
export type RestoreCounts = Readonly<Record<'restore' | 'delete' | 'leave' | 'unchanged', Sum>>;

/** What happens to an object that is not as it was at that time. */
export type RestoreEntry = {
  readonly key: string;
  readonly change: 'restore' | 'delete' | 'leave';
  /** Bytes. */
  readonly size: number;
  /** Why it is left as it is. */
  readonly why: string | null;
};

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
