/** What the upload engine needs of the service. */

export type Target = { readonly provider: string; readonly bucket: string; readonly key: string };

export type ReceivedPart = { readonly number: number; readonly size: number; readonly etag: string };

/** A part to join, as the service answered it. */
export type NamedPart = Pick<ReceivedPart, 'number' | 'etag'>;

export type Sending = {
  readonly signal: AbortSignal;
  /** Bytes of this request that have left so far. */
  readonly onProgress: (sentBytes: number) => void;
};

/** `refuse` fails with `precondition_failed` where the key is taken. */
export type WhenTaken = 'refuse' | 'replace';

/** Every method rejects with an error that has a problem `code`, `network` where no answer came. */
export type UploadTransport = {
  /** Sends a whole object in one request. */
  put(target: Target, body: Blob, whenTaken: WhenTaken, sending: Sending): Promise<void>;
  /** Whether the key is known to be taken; false where the caller may not know. */
  isTaken(target: Target, signal: AbortSignal): Promise<boolean>;
  /** Whether exactly this content stands there; false where the caller may not read it. */
  holds(target: Target, body: Blob, signal: AbortSignal): Promise<boolean>;
  /** Starts a multipart upload and gives its id. */
  begin(target: Target, contentType: string, signal: AbortSignal): Promise<string>;
  sendPart(target: Target, uploadId: string, number: number, body: Blob, sending: Sending): Promise<ReceivedPart>;
  receivedParts(target: Target, uploadId: string, signal: AbortSignal): Promise<readonly ReceivedPart[]>;
  /** Joins exactly these parts. */
  complete(target: Target, uploadId: string, parts: readonly NamedPart[], whenTaken: WhenTaken, signal: AbortSignal): Promise<void>;
  /** Gives a multipart upload up, with the parts that have arrived. */
  abandon(target: Target, uploadId: string): Promise<void>;
};
