import type { Target } from './transport.ts';

/** What a file is known by again. */
export type FileMark = { readonly name: string; readonly size: number; /** Milliseconds since the epoch. */ readonly lastModified: number };

export type MarkedFile = FileMark & { /** Empty where it is not known. */ readonly contentType: string };

/** An upload in parts that was begun. */
export type BegunUpload = { readonly uploadId: string; readonly partBytes: number };

/** The uploads that were begun and are not complete, kept for a client that ends in the middle. Holds no credential and no content. */
export type Memory = {
  /** The upload of this file to this place. `isCurrent` is false when the file was another one then. */
  find(file: MarkedFile, target: Target): Promise<(BegunUpload & { readonly isCurrent: boolean }) | undefined>;
  /** Rejects where nothing can be kept. The upload goes on, and cannot be resumed. */
  remember(file: MarkedFile, target: Target, upload: BegunUpload): Promise<void>;
  forget(file: MarkedFile, target: Target): Promise<void>;
};
