import type { Target } from './transport.ts';

/** The attributes by which a file is recognised. */
export type FileMark = {
  readonly name: string;
  readonly size: number;
  /** Milliseconds since the epoch. */ readonly lastModified: number;
};

export type MarkedFile = FileMark & { /** Empty when unknown. */ readonly contentType: string };

/** An upload in parts that has begun. */
export type BegunUpload = { readonly uploadId: string; readonly partBytes: number };

/** Stores uploads that have begun and are not complete, for a client that ends in the middle. It contains no credentials and no content. */
export type Memory = {
  /** Finds the upload of this file to this target. `isCurrent` is false when the file has changed since. */
  find(file: MarkedFile, target: Target): Promise<(BegunUpload & { readonly isCurrent: boolean }) | undefined>;
  /** Rejects when nothing can be stored. The upload continues, but cannot be resumed. */
  remember(file: MarkedFile, target: Target, upload: BegunUpload): Promise<void>;
  forget(file: MarkedFile, target: Target): Promise<void>;
};
