import type { Failure } from '../../transfer/failure.ts';
import type { Target } from '../../transfer/transport.ts';

/**
 * `waiting` for a place, `sending`, `retrying` after a failure that may pass, `asking` what to do with a taken name, `paused` by hand;
 * over: `stored`, `skipped`, `failed`, `cancelled`.
 */
export type UploadState = 'waiting' | 'sending' | 'retrying' | 'asking' | 'paused' | 'stored' | 'skipped' | 'failed' | 'cancelled';

export type UploadView = {
  readonly id: number;
  /** The same for all that were added together. */
  readonly batch: number;
  readonly name: string;
  readonly target: Target;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly bytesPerSecond: number;
  readonly state: UploadState;
  readonly failure: Failure | undefined;
};

export type QueueView = {
  readonly uploads: readonly UploadView[];
  /** Files that are not over yet; paused ones too. */
  readonly open: number;
  /** Files that move, or will without anybody doing something. */
  readonly moving: number;
  readonly counts: Readonly<Record<UploadState, number>>;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly bytesPerSecond: number;
  /** Undefined while it cannot be told. */
  readonly secondsLeft: number | undefined;
  /** Everything waits for the user to sign in again. */
  readonly held: boolean;
};

export function summarize(uploads: readonly UploadView[], held: boolean, bytesPerSecond: number): QueueView {
  const counts: Record<UploadState, number> = { waiting: 0, sending: 0, retrying: 0, asking: 0, paused: 0, stored: 0, skipped: 0, failed: 0, cancelled: 0 };
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
