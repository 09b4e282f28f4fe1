import type { LimitFunction } from 'p-limit';
import type { FingerprintedFile, ResumeStore } from './resume-store.ts';
import { withRetries, type RetryOptions } from './retry.ts';
import type { Target, Transport, WhenTaken } from './transport.ts';

/** A file to upload. */
export type SourceFile<Body> = FingerprintedFile & {
  /** The bytes from `start` to before `end`. */
  slice(start: number, end: number): Body;
  /** The whole content; called for small files only. */
  bytes(): Promise<Uint8Array>;
  /** @throws {TransferError} `file_changed` when the file has changed. */
  requireUnchanged(): Promise<void>;
};

/** The upload of one file. */
export type Upload<Body> = {
  readonly file: SourceFile<Body>;
  target: Target;
  whenTaken: WhenTaken;
};

/** Information for the person while the upload runs. */
export type UploadEvent =
  | { readonly kind: 'continued'; readonly arrived: number; readonly parts: number }
  | { readonly kind: 'changed-since' | 'parts-kept' }
  | { readonly kind: 'not-remembered'; readonly reason: string };

export type UploadContext<Body> = {
  readonly transport: Transport<Body>;
  readonly resumeStore: ResumeStore;
  /** Limits the requests of all files together. */
  readonly requests: LimitFunction;
  readonly partsAtOnce: number;
  /** Aborting it pauses the upload; parts that have arrived stay. */
  readonly signal: AbortSignal;
  readonly firstDelayMs?: number | undefined;
  /**
   * @param sentBytes - bytes of this file in total.
   * @param wasThere - whether the new ones had arrived earlier.
   */
  readonly onSent: (sentBytes: number, wasThere: boolean) => void;
  readonly onRetry?: RetryOptions['onRetry'];
  readonly onEvent?: (news: UploadEvent) => void;
};

/** What one request of an upload needs. */
export type RequestContext = Pick<UploadContext<never>, 'requests' | 'firstDelayMs' | 'onRetry'>;

/** Sends one request within the limit, and retries while that can help. While it waits, it does not count towards the limit. */
export function request<T>(
  { requests, firstDelayMs, onRetry }: RequestContext,
  signal: AbortSignal,
  send: () => Promise<T>,
): Promise<T> {
  const inItsPlace = () => {
    signal.throwIfAborted();
    return send();
  };
  return withRetries(() => requests(inItsPlace), { signal, firstDelayMs, onRetry });
}
