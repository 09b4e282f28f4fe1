import type { StoredHeaders } from '../wire/stored-headers.ts';
import type { Target } from './transport.ts';

/** The attributes by which a file is recognised. */
export type FileFingerprint = {
  readonly name: string;
  readonly size: number;
  /** Milliseconds since the epoch. */ readonly lastModified: number;
};

export type FingerprintedFile = FileFingerprint & {
  /** Empty when unknown. */
  readonly contentType: string;
  /** The headers that the person stores with the object. */
  readonly stored?: StoredHeaders | undefined;
};

/** An upload in parts that has begun. */
export type MultipartUpload = { readonly uploadId: string; readonly partBytes: number };

/** Stores uploads that have begun and are not complete, for a client that ends in the middle. It contains no credentials and no content. */
export type ResumeStore = {
  /** Finds the upload of this file to this target. `isCurrent` is false when the file, or what is stored with it, has changed since. */
  find(
    file: FingerprintedFile,
    target: Target,
  ): Promise<(MultipartUpload & { readonly isCurrent: boolean }) | undefined>;
  /** Rejects when nothing can be stored. The upload continues, but cannot be resumed. */
  remember(file: FingerprintedFile, target: Target, upload: MultipartUpload): Promise<void>;
  forget(file: FingerprintedFile, target: Target): Promise<void>;
};
