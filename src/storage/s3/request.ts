import type { Readable } from 'node:stream';

/** One request to S3. Names of headers are in lower case; a header or a member of the query that is undefined is left out. */
export type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly bucket?: string;
  readonly key?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A stream needs the header `content-length`, and is never sent twice. */
  readonly body?: Buffer | Readable;
};
