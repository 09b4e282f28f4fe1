import type { LimitFunction } from 'p-limit';
import type { Failure } from './failure.ts';
import type { MarkedFile, Memory } from './memory.ts';
import { retrying } from './retry.ts';
import type { Target, Transport, WhenTaken } from './transport.ts';

/** Something to upload. */
export type SourceFile<Body> = MarkedFile & {
  /** Bytes `start` to `end`, `end` not included. */
  slice(start: number, end: number): Body;
  /** All of it; asked for small files only. */
  bytes(): Promise<Uint8Array>;
  /** @throws {TransferError} `file_changed` when it is not what it was. */
  requireUnchanged(): Promise<void>;
};

/** One file on its way. */
export type Upload<Body> = {
  readonly file: SourceFile<Body>;
  target: Target;
  whenTaken: WhenTaken;
};

/** What a person may want to know while it goes on. */
export type UploadNews =
  | { readonly kind: 'continued'; readonly arrived: number; readonly parts: number }
  | { readonly kind: 'changed-since' | 'parts-kept' }
  | { readonly kind: 'not-remembered'; readonly reason: string };

export type UploadContext<Body> = {
  readonly transport: Transport<Body>;
  readonly memory: Memory;
  /** Bounds the requests of all files together. */
  readonly requests: LimitFunction;
  readonly partsAtOnce: number;
  /** Aborting it pauses: what has arrived stays. */
  readonly signal: AbortSignal;
  readonly firstDelayMs?: number | undefined;
  /** @param sentBytes - of this file, in all; @param wasThere - what is new of them had arrived before. */
  readonly onSent: (sentBytes: number, wasThere: boolean) => void;
  readonly onRetry?: (failure: Failure) => void;
  readonly onNews?: (news: UploadNews) => void;
};

/** One request in a place of its own, tried again while trying again can help. The place is free while it waits. */
export function request<Body, T>({ requests, firstDelayMs, onRetry }: UploadContext<Body>, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
  const inItsPlace = () => {
    signal.throwIfAborted();
    return send();
  };
  return retrying(() => requests(inItsPlace), { signal, firstDelayMs, onRetry });
}
