/** The interface of the service that the upload engine needs. */

/** The place of an object. */
export type Target = { readonly provider: string; readonly bucket: string; readonly key: string };

export type ArrivedPart = { readonly number: number; readonly size: number; readonly etag: string };

/** A part to join, as the service reported it. */
export type NamedPart = Pick<ArrivedPart, 'number' | 'etag'>;

/** `refuse` fails with `precondition_failed` when the key is taken. */
export type WhenTaken = 'refuse' | 'replace';

/** `size` is in bytes. `version` changes when the object is written. */
export type FoundObject = { readonly size: number; readonly version: string; readonly contentType: string };

export type Sending = {
  readonly signal: AbortSignal;
  /** @param sentBytes - bytes of this request sent so far. */
  readonly onProgress: (sentBytes: number) => void;
};

/**
 * The requests of an upload. `Body` is what the client sends from: a `Blob`, or a range of a file.
 *
 * Every method rejects with an error that has a `code`: of a problem document, or one for a missing answer (see `passes`).
 */
export type Transport<Body> = {
  /**
   * Sends a whole object in one request.
   *
   * @param contentType - empty when unknown.
   */
  put(target: Target, body: Body, contentType: string, whenTaken: WhenTaken, sending: Sending): Promise<void>;
  /** The existing object; undefined when there is none, or when the caller may not know. */
  find(target: Target, signal: AbortSignal): Promise<FoundObject | undefined>;
  /** The content of the existing object; called for small objects only. */
  read(target: Target, signal: AbortSignal): Promise<Uint8Array>;
  /** Begins an upload in parts and returns its id. */
  begin(target: Target, contentType: string, signal: AbortSignal): Promise<string>;
  sendPart(target: Target, uploadId: string, number: number, body: Body, sending: Sending): Promise<ArrivedPart>;
  arrivedParts(target: Target, uploadId: string, signal: AbortSignal): Promise<readonly ArrivedPart[]>;
  /** Joins exactly these parts, and returns the size of the object in bytes. */
  complete(
    target: Target,
    uploadId: string,
    parts: readonly NamedPart[],
    whenTaken: WhenTaken,
    signal: AbortSignal,
  ): Promise<number>;
  /** Aborts an upload and deletes its parts. */
  abandon(target: Target, uploadId: string): Promise<void>;
};
