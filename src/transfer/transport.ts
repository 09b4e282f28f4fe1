/** What the engine needs of the service, whichever way it is reached. */

/** Where an object is, or will be. */
export type Target = { readonly provider: string; readonly bucket: string; readonly key: string };

export type ArrivedPart = { readonly number: number; readonly size: number; readonly etag: string };

/** A part to join, as the service answered it. */
export type NamedPart = Pick<ArrivedPart, 'number' | 'etag'>;

/** `refuse` fails with `precondition_failed` where the key is taken. */
export type WhenTaken = 'refuse' | 'replace';

export type Sending = {
  readonly signal: AbortSignal;
  /** @param sentBytes - of this request, so far. */
  readonly onProgress: (sentBytes: number) => void;
};

/**
 * The requests of an upload. `Body` is what the client sends from: a `Blob`, or a range of a file.
 *
 * Every method rejects with an error that has a `code`: of a problem document, or one that says that no answer came (see `passes`).
 */
export type Transport<Body> = {
  /** Sends a whole object in one request. @param contentType - empty where it is not known. */
  put(target: Target, body: Body, contentType: string, whenTaken: WhenTaken, sending: Sending): Promise<void>;
  /** Bytes of the object that stands there; undefined where none does, or the caller may not know. */
  sizeOf(target: Target, signal: AbortSignal): Promise<number | undefined>;
  /** The content of the object that stands there; asked for small ones only. */
  read(target: Target, signal: AbortSignal): Promise<Uint8Array>;
  /** Begins an upload in parts and gives its id. */
  begin(target: Target, contentType: string, signal: AbortSignal): Promise<string>;
  sendPart(target: Target, uploadId: string, number: number, body: Body, sending: Sending): Promise<ArrivedPart>;
  arrivedParts(target: Target, uploadId: string, signal: AbortSignal): Promise<readonly ArrivedPart[]>;
  /** Joins exactly these parts, and gives the bytes of the object. */
  complete(target: Target, uploadId: string, parts: readonly NamedPart[], whenTaken: WhenTaken, signal: AbortSignal): Promise<number>;
  /** Drops an upload and its parts. */
  abandon(target: Target, uploadId: string): Promise<void>;
};
