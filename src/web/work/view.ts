import type { Failure } from '../../transfer/failure.ts';
import type { Target } from '../../transfer/transport.ts';

/**
 * `waiting` for its turn, `sending`, `retrying` after a temporary failure, `asking` the user about a taken name, `paused` by the user; finished: `stored`,
 * `skipped`, `failed`, `cancelled`.
 */
export type UploadState =
  'waiting' | 'sending' | 'retrying' | 'asking' | 'paused' | 'stored' | 'skipped' | 'failed' | 'cancelled';

export type UploadView = {
  readonly id: number;
  /** The same number for all uploads that were added together. */
  readonly batch: number;
  readonly name: string;
  readonly target: Target;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly bytesPerSecond: number;
  /** Of all uploads that were added together. */
  readonly batchBytesPerSecond: number;
  readonly state: UploadState;
  readonly failure: Failure | undefined;
};

export type QueueView = {
  readonly uploads: readonly UploadView[];
  /** The number of unfinished uploads, including paused ones. */
  readonly open: number;
  /** The number of uploads that are waiting, sending, retrying or asking. */
  readonly moving: number;
  readonly counts: Readonly<Record<UploadState, number>>;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly bytesPerSecond: number;
  /** Undefined while it cannot be estimated. */
  readonly secondsLeft: number | undefined;
  /** Whether all uploads wait for the user to sign in again. */
  readonly held: boolean;
};

export function summarize(uploads: readonly UploadView[], held: boolean, bytesPerSecond: number): QueueView {
  const counts: Record<UploadState, number> = {
    waiting: 0,
    sending: 0,
    retrying: 0,
    asking: 0,
    paused: 0,
    stored: 0,
    skipped: 0,
    failed: 0,
    cancelled: 0,
  };
  let bytes = 0;
  let sentBytes = 0;
  for (const upload of uploads) {
    counts[upload.state] += 1;
    if (upload.state === 'cancelled' || upload.state === 'skipped') continue;
    bytes += upload.bytes;
    sentBytes += upload.sentBytes;
  }
  const moving = counts.waiting + counts.sending + counts.retrying + counts.asking;
  const secondsLeft = counts.sending > 0 && bytesPerSecond > 0 ? (bytes - sentBytes) / bytesPerSecond : undefined;
  return { uploads, open: moving + counts.paused, moving, counts, bytes, sentBytes, bytesPerSecond, secondsLeft, held };
}
